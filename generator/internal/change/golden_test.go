package change_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/change"
	"github.com/stratakube/strata/generator/internal/model"
)

var update = flag.Bool("update", false, "write the goldens")

// TestNeighbours compares the neighbours of refined models. Each archive of
// testdata/between says in its comment why it is there; a file renames holds lines
// of a folder, a version, a type and property, and its next name.
func TestNeighbours(t *testing.T) {
	golden(t, "between", func(files map[string]string) []change.Comparison {
		var out []change.Comparison
		for _, g := range link(t, models(t, files["model"]), files["renames"]).Groups {
			for _, r := range g.Resources {
				out = append(out, change.Neighbours(r)...)
			}
		}
		return out
	})
}

// TestTrees compares two trees, old and later.
func TestTrees(t *testing.T) {
	golden(t, "trees", func(files map[string]string) []change.Comparison {
		old, later := models(t, files["old"]), models(t, files["later"])
		return change.Trees(old, later, link(t, change.Union(old, later), files["renames"]))
	})
}

func golden(t *testing.T, dir string, compare func(map[string]string) []change.Comparison) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Comment) == 0 {
				t.Error("the case does not say why it is there")
			}
			files := map[string]string{}
			for _, f := range a.Files {
				files[f.Name] = string(f.Data)
			}
			got := list(compare(files))
			if *update {
				write(t, path, a, got)
			}
			if diff := cmp.Diff(files["want"], got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func write(t *testing.T, path string, a *txtar.Archive, got string) {
	t.Helper()
	if last := len(a.Files) - 1; a.Files[last].Name == "want" {
		a.Files = a.Files[:last]
	}
	a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(got)})
	if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
		t.Fatal(err)
	}
}

func list(all []change.Comparison) string {
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintf(&b, "%s %s\n", c.Resource, c.Title())
		for _, one := range c.Changes {
			line := fmt.Sprintf("  %s %s %s (%s): %s", one.Severity, one.Kind, one.Path, one.Type, one.Detail())
			fmt.Fprintln(&b, strings.TrimSuffix(line, " "))
		}
	}
	return b.String()
}

func models(t testing.TB, text string) []*model.Resource {
	t.Helper()
	all, err := model.Parse("model", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func link(t testing.TB, all []*model.Resource, renames string) *chain.Chain {
	t.Helper()
	opts := chain.Options{Suffix: "example.com"}
	for line := range strings.Lines(renames) {
		w := strings.Fields(line)
		typ, property, _ := strings.Cut(w[2], ".")
		opts.Renames = append(opts.Renames, chain.Rename{Folder: w[0], Version: w[1], Type: typ, Property: property, To: w[3]})
	}
	c, problems := chain.Link(all, opts)
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	return c
}
