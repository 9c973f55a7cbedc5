package refine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/model"
)

// TestRefine refines the raw model of every archive in testdata/refine, which optionally has the
// model of a ledger and renames.
func TestRefine(t *testing.T) {
	golden.Run(t, "testdata/refine/*.txtar", "refined.txt", func(t *testing.T, files golden.Files) string {
		opts := Options{Known: parse(t, files["ledger.txt"]), Rename: renames(files["renames.txt"]), Choose: choices(files["types.txt"])}
		_, opts.Lenient = files["lenient"]
		return report(Refine(context.Background(), parse(t, files["raw.txt"]), opts))
	})
}

// report formats a result: the models, and then the conflicts, problems and notes.
func report(r *Result) string {
	var b strings.Builder
	b.Write(model.Print(r.Resources...))
	for _, c := range r.Conflicts {
		fmt.Fprintf(&b, "conflict in %s %s: %s: %s\n", c.Type, c.Version, c.Path, c.Reason)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "problem in %s %s: %s\n  hint: %s\n", p.Type, p.Version, p.Text, p.Hint)
		if p.Choices != nil {
			fmt.Fprintf(&b, "  choices for %s: %s\n", p.Path, strings.Join(p.Choices, ", "))
		}
	}
	for _, s := range r.Chosen {
		fmt.Fprintf(&b, "settled in %s %s: %s: %s\n", s.Type, s.Version, s.Path, strings.Join(s.Choices, ", "))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note on %s %s: %s\n", n.Type, n.Version, n.Text)
	}
	return b.String()
}

// choices reads lines of a path and a type.
func choices(text string) func(resource, version, path string) string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		all[words[0]] = words[1]
	}
	return func(_, _, path string) string { return all[path] }
}

// renames reads lines of a kind, a name and another name.
func renames(text string) func(*model.Resource) map[string]string {
	all := map[string]map[string]string{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if all[words[0]] == nil {
			all[words[0]] = map[string]string{}
		}
		all[words[0]][words[1]] = words[2]
	}
	return func(r *model.Resource) map[string]string { return all[r.Kind] }
}

func parse(t *testing.T, text string) []*model.Resource {
	t.Helper()
	got, err := model.Parse("model.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return got
}
