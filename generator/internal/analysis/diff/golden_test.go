package diff_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/model"
)

// TestNeighbours compares neighbouring versions of refined models. The file renames of an archive
// has lines of a folder, a version, a type and property, and its next name.
func TestNeighbours(t *testing.T) {
	golden.Run(t, "testdata/between/*.txtar", "want", func(t *testing.T, files golden.Files) string {
		var out []diff.Comparison
		for _, g := range link(t, models(t, files["model"]), files["renames"]).Groups {
			for _, r := range g.Resources {
				out = append(out, diff.Neighbours(context.Background(), r)...)
			}
		}
		return list(out)
	})
}

// TestTrees compares two trees, old and later. The file schemas of an archive has lines of a tree,
// a type, a version and the schema that costs of rules depend on.
func TestTrees(t *testing.T) {
	golden.Run(t, "testdata/trees/*.txtar", "want", func(t *testing.T, files golden.Files) string {
		old, later := models(t, files["old"]), models(t, files["later"])
		for line := range strings.Lines(files["schemas"]) {
			w := strings.SplitN(strings.TrimSpace(line), " ", 4)
			ruled(map[string][]*model.Resource{"old": old, "later": later}[w[0]], w[1], w[2]).RuleSchema = w[3]
		}
		return list(diff.Trees(context.Background(), old, later, link(t, diff.Union(old, later), files["renames"])))
	})
}

// ruled returns a version of a resource.
func ruled(all []*model.Resource, typ, version string) *model.Version {
	return all[slices.IndexFunc(all, func(r *model.Resource) bool { return r.Type == typ })].Version(version)
}

func list(all []diff.Comparison) string {
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
	c, problems := chain.Link(context.Background(), all, opts)
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	return c
}
