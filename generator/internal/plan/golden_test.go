package plan_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// TestGolden decides models and compares the plan's text. In an archive, the comment says what is
// shown, "model" is refined, "renames" has lines of version, type, property and new name, "keys"
// lines of version, key, property and path that the ledger has given, and the version of the compat
// package behind "by", "conversions" lines of version, type, property and mode, "hands" lines of
// folder, receiver, method, and the parameter's folder and type, "functions" lines of version,
// type, property, and what functions do, "hub" is the chosen version, "stored" are versions without
// API types, "first" the resource types that arrived first, "changes" are declared changes,
// "recorded" is the model of the run before, and "plan" is what comes out.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { golden(t, file) })
	}
}

func golden(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := decide(t, section(archive, "model"), options(archive), plan.Options{
		First: strings.Fields(string(section(archive, "first"))), Augmentations: hands(archive), Functions: functions(archive),
	})
	if *update {
		put(archive, "plan", got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(section(archive, "plan")), string(got)); diff != "" {
		t.Errorf("the plan differs (-want +got):\n%s", diff)
	}
}

// decide converts model text to plan text.
func decide(t testing.TB, text []byte, opts chain.Options, planned plan.Options) []byte {
	t.Helper()
	for _, f := range planned.Functions {
		if f.Up != nil {
			opts.Breaks = append(opts.Breaks, chain.Break{Folder: "shop", Version: f.Version, Type: f.Type, Property: f.Property})
		}
	}
	c, problems := chain.Link(context.Background(), resourcesOf(t, string(text)), opts)
	var out bytes.Buffer
	for _, p := range problems {
		out.WriteString("problem: " + p.Text + "\n")
	}
	decided := plan.Decide(context.Background(), c, planned)
	for _, a := range decided.Unused {
		out.WriteString("unused: " + a.Receiver + "." + a.Method + "\n")
	}
	for _, g := range c.Groups {
		for _, r := range g.Resources {
			about(&out, r)
		}
	}
	for _, g := range decided.Groups {
		out.Write(plan.Print(g))
	}
	return out.Bytes()
}

// about writes what commands tell about declared changes: those of two types that move one
// property, and properties of previews that take no part.
func about(out *bytes.Buffer, r *chain.Resource) {
	for _, pair := range r.Rivals() {
		fmt.Fprintf(out, "rivals: %s.%s %s, %s.%s %s\n", pair[0].Type, pair[0].Property, pair[0], pair[1].Type, pair[1].Property, pair[1])
	}
	for _, a := range r.Apart() {
		fmt.Fprintf(out, "apart: %s in %s from %s before %s\n", a.Property.Name, a.Leaf.Model.Name, a.Before, a.Next.Model.Name)
	}
}

// resourcesOf returns the resources of a text.
func resourcesOf(t testing.TB, text string) []*model.Resource {
	t.Helper()
	resources, err := model.Parse("model", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return resources
}

const carts = "microsoft.shop/carts"

func options(archive *txtar.Archive) chain.Options {
	opts := chain.Options{Suffix: "example.com", Records: map[string]*chain.Record{}}
	opts.Hub = func(*model.Resource) string { return strings.TrimSpace(string(section(archive, "hub"))) }
	stored := strings.Fields(string(section(archive, "stored")))
	opts.Prune = func(_, version string) chain.Pruning {
		if slices.Contains(stored, version) {
			return chain.Stored
		}
		return chain.Whole
	}
	for line := range strings.Lines(string(section(archive, "renames"))) {
		w := strings.Fields(line)
		opts.Renames = append(opts.Renames, chain.Rename{Folder: "shop", Version: w[0], Type: w[1], Property: w[2], To: w[3]})
	}
	for line := range strings.Lines(string(section(archive, "keys"))) {
		w := strings.Fields(line)
		row := chain.KeyRow{Version: w[0], Name: w[1], Property: w[2], Path: w[3:]}
		if by := slices.Index(w, "by"); by > 0 {
			row.Path, row.Compat = w[3:by], w[by+1]
		}
		if opts.Records[carts] == nil {
			opts.Records[carts] = &chain.Record{}
		}
		opts.Records[carts].Keys = append(opts.Records[carts].Keys, row)
	}
	modes := map[string]chain.Mode{"custom": chain.Custom, "none": chain.None}
	for line := range strings.Lines(string(section(archive, "conversions"))) {
		w := strings.Fields(line)
		opts.Conversions = append(opts.Conversions, chain.Conversion{Folder: "shop", Version: w[0], Type: w[1], Property: w[2], Mode: modes[w[3]]})
	}
	if text := section(archive, "recorded"); text != nil {
		recorded, err := model.Parse("recorded", text)
		if err != nil || len(recorded) != 1 {
			panic(fmt.Sprintf("%d recorded resources: %v", len(recorded), err))
		}
		if opts.Records[carts] == nil {
			opts.Records[carts] = &chain.Record{}
		}
		opts.Records[carts].Model = recorded[0]
	}
	opts.Changes = changes(archive)
	return opts
}

// changes reads the declared changes of an archive.
func changes(archive *txtar.Archive) []chain.Change {
	var out []chain.Change
	for _, c := range chaintest.ParseDeclared(string(section(archive, "changes"))) {
		out = append(out, chain.Change{Folder: "shop", Version: c.Version, Type: c.Type, Property: c.Property, Operation: c.Operation, In: c.In})
	}
	return out
}

func hands(archive *txtar.Archive) []augmentation.Method {
	var out []augmentation.Method
	for line := range strings.Lines(string(section(archive, "hands"))) {
		w := strings.Fields(line)
		out = append(out, augmentation.Method{Folder: w[0], Receiver: w[1], Method: w[2], ParamFolder: w[3], Param: w[4]})
	}
	return out
}

// functions reads lines of a version, a type, a property, and up and down, fill, or values.
func functions(archive *txtar.Archive) []plan.Function {
	var out []plan.Function
	for line := range strings.Lines(string(section(archive, "functions"))) {
		w := strings.Fields(line)
		f := plan.Function{Resource: "Microsoft.Shop/carts", Version: w[0], Type: w[1], Property: w[2]}
		switch w[3] {
		case "convert":
			f.Up, f.Down = &plan.Call{Package: "example.com/shop", Name: w[4]}, &plan.Call{Package: "example.com/shop", Name: w[5]}
		case "fill":
			f.Fill, f.ID = &plan.Call{Package: "example.com/shop", Name: w[4]}, strings.Join(w[:3], ".")
		case "values":
			f.Values = w[4:]
		}
		out = append(out, f)
	}
	return out
}

func section(archive *txtar.Archive, name string) []byte {
	for _, f := range archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func put(archive *txtar.Archive, name string, data []byte) {
	for i := range archive.Files {
		if archive.Files[i].Name == name {
			archive.Files[i].Data = data
			return
		}
	}
	archive.Files = append(archive.Files, txtar.File{Name: name, Data: data})
}
