package refine

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/model"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Every archive of testdata/refine says in its comment why it is there, and holds
// a raw model, optionally the model of a ledger and renames, and what comes out.
func TestRefine(t *testing.T) {
	paths, err := filepath.Glob("testdata/refine/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { checkCase(t, path) })
	}
}

func checkCase(t *testing.T, path string) {
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
	opts := Options{Known: parse(t, files["ledger.txt"]), Rename: renames(files["renames.txt"])}
	_, opts.Lenient = files["lenient"]
	got := report(Refine(parse(t, files["raw.txt"]), opts))
	if *update {
		files["refined.txt"] = got
		write(t, path, a, "refined.txt", got)
	}
	if diff := cmp.Diff(files["refined.txt"], got); diff != "" {
		t.Errorf("refined (-want +got):\n%s", diff)
	}
}

// report is the text of a result: the models, then what happened.
func report(r *Result) string {
	var b strings.Builder
	b.Write(model.Print(r.Resources...))
	for _, c := range r.Conflicts {
		fmt.Fprintf(&b, "conflict in %s %s: %s: %s\n", c.Type, c.Version, c.Path, c.Reason)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "problem in %s %s: %s\n  hint: %s\n", p.Type, p.Version, p.Text, p.Hint)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note on %s %s: %s\n", n.Type, n.Version, n.Text)
	}
	return b.String()
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

func write(t *testing.T, path string, a *txtar.Archive, name, text string) {
	t.Helper()
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = []byte(text)
			if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name})
	write(t, path, a, name, text)
}

func parse(t *testing.T, text string) []*model.Resource {
	t.Helper()
	got, err := model.Parse("model.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return got
}
