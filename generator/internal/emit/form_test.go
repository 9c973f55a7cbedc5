package emit_test

import (
	"bytes"
	"context"
	"fmt"
	"go/format"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/emit"
	"github.com/stratakube/strata/generator/internal/emit/gofile"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/refine"
	"github.com/stratakube/strata/generator/internal/source/arm"
)

// models are those of the plan's goldens, the worked example, and one that is
// wide: a name for every length, and every type in lists and maps.
func models(t *testing.T) map[string][]*model.Resource {
	t.Helper()
	out := map[string][]*model.Resource{"wide": {wide()}}
	files, err := filepath.Glob("../plan/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if out[filepath.Base(file)], err = model.Parse(file, archive.Files[0].Data); err != nil {
			t.Fatal(err)
		}
	}
	read, err := arm.Read(context.Background(), arm.Options{Root: "../../../schemas/crm", Include: []string{"*/Microsoft.Crm.json"}})
	if err != nil {
		t.Fatal(err)
	}
	out["crm"] = refine.Refine(read.Resources, refine.Options{}).Resources
	return out
}

func wide() *model.Resource {
	leaves := []model.Type{&model.Any{}, &model.Enum{Values: []string{`"a-b"`, `"A b"`, `""`}}, &model.Enum{Base: model.Int, Values: []string{"1", "-1"}}}
	for k := model.String; k <= model.Bool; k++ {
		leaves = append(leaves, &model.Scalar{Kind: k})
	}
	node := &model.Def{Name: "Node", Doc: "Deprecated: - a node.\n+optional # of a tree", Type: &model.Object{}}
	leaves = append(leaves, &model.Ref{Def: node})
	o := &model.Object{Additional: &model.Ref{Def: node}}
	for i, leaf := range leaves {
		for j, wrapped := range wraps(leaf, 3) {
			name := fmt.Sprintf("p%d_%d", i, j)
			for len(name) < 3*i+j {
				name += "x"
			}
			o.Properties = append(o.Properties, &model.Property{Name: name, Type: wrapped, Required: j%2 == 0, Doc: "[a]: b\n\n* c"})
		}
	}
	node.Type = o
	r := &model.Resource{Type: "Microsoft.Wide/things", Kind: "Thing", Plural: "things"}
	for _, name := range []string{"2020-01-01", "2021-01-01", "2021-06-01-preview"} {
		spec := &model.Def{Name: "ThingSpec", Type: &model.Object{Properties: []*model.Property{
			{Name: "node", Type: &model.Ref{Def: node}},
			{Name: "v" + name, Type: &model.Map{Elem: &model.List{Elem: &model.Ref{Def: node}}}},
		}}}
		v := &model.Version{Name: name, Spec: &model.Ref{Def: spec}}
		v.Defs = model.Closure(v.Spec)
		r.Versions = append(r.Versions, v)
	}
	return r
}

// wraps puts a type in every nesting of lists and maps down to a depth.
func wraps(t model.Type, depth int) []model.Type {
	out := []model.Type{t}
	if depth == 0 {
		return out
	}
	for _, inner := range wraps(t, depth-1) {
		out = append(out, &model.List{Elem: inner}, &model.Map{Elem: inner})
	}
	return out
}

func files(t *testing.T, resources []*model.Resource, workers int) []emit.File {
	t.Helper()
	c, _ := chain.Link(resources, chain.Options{Suffix: "example.com"})
	return emit.Files(plan.Decide(c, plan.Options{}), gofile.Layout{Module: "example.com/out", Runtime: gofile.DefaultRuntime}, workers)
}

// TestForm holds that generated text is in gofmt's form already.
func TestForm(t *testing.T) {
	for name, resources := range models(t) {
		for _, f := range files(t, resources, 2) {
			formatted, err := format.Source(f.Body)
			if err != nil {
				t.Errorf("%s: %s: %v", name, f.Path, err)
				continue
			}
			if diff := cmp.Diff(string(formatted), string(f.Body)); diff != "" {
				t.Errorf("%s: %s is not as gofmt writes it (-gofmt +ours):\n%s", name, f.Path, diff)
			}
		}
	}
}

// TestWorkers holds that files do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	for name, resources := range models(t) {
		one, many := files(t, resources, 1), files(t, resources, 8)
		if len(one) != len(many) {
			t.Fatalf("%s: %d files, then %d", name, len(one), len(many))
		}
		for i := range one {
			if one[i].Path != many[i].Path || !bytes.Equal(one[i].Body, many[i].Body) {
				t.Errorf("%s: %s differs from %s", name, one[i].Path, many[i].Path)
			}
		}
	}
}
