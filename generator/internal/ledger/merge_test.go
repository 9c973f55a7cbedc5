package ledger

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/stratakube/strata/generator/internal/model"
)

var update = flag.Bool("update", false, "write the goldens")

// TestMerge merges fresh models into known ones. Each archive begins with the reason of the case;
// want has the merged models and then the findings.
func TestMerge(t *testing.T) {
	goldens(t, "testdata/merge/*.txtar", func(t *testing.T, in map[string]string) string {
		known := &Ledger{}
		for _, r := range resources(t, in["known"]) {
			known.Entries = append(known.Entries, &Entry{Model: r})
		}
		before := string(model.Print(known.Models()...))
		merged, findings := known.Merge(context.Background(), resources(t, in["fresh"]))
		if after := string(model.Print(known.Models()...)); after != before {
			t.Errorf("merging changed the ledger (-was +is):\n%s", cmp.Diff(before, after))
		}
		closed(t, merged)
		var out bytes.Buffer
		out.Write(model.Print(merged...))
		for _, f := range findings {
			fmt.Fprintf(&out, "%s: %s %s: %s\n  %s\n", kindOf(f), f.Type, f.Version, f.Text, f.Hint)
		}
		return out.String()
	})
}

// closed fails unless every reference leads to a definition of its own version, and all
// definitions have distinct names.
func closed(t *testing.T, merged []*model.Resource) {
	t.Helper()
	text := string(model.Print(merged...))
	again, err := model.Parse("merged", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for i, r := range merged {
		for j, v := range r.Versions {
			if len(v.Defs) != len(model.Closure(v.Spec, v.Status)) {
				t.Errorf("%s %s: definitions that nothing reaches, or that are not listed", r.Type, v.Name)
			}
			if printed := again[i].Versions[j]; len(printed.Defs) != len(v.Defs) {
				t.Errorf("%s %s: %d definitions, printed %d", r.Type, v.Name, len(v.Defs), len(printed.Defs))
			}
		}
	}
}

func kindOf(f Finding) string {
	if f.Contradicts {
		return "contradiction"
	}
	return "lost"
}

func resources(t *testing.T, text string) []*model.Resource {
	t.Helper()
	all, err := model.Parse("text", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// goldens runs a function on the files of each archive, and compares its result with the file
// want.
func goldens(t *testing.T, glob string, run func(t *testing.T, in map[string]string) string) {
	t.Helper()
	archives, err := filepath.Glob(glob)
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(bytes.TrimSpace(archive.Comment)) == 0 {
				t.Error("an archive says its reason before its first file")
			}
			in := map[string]string{}
			for _, f := range archive.Files {
				in[f.Name] = string(f.Data)
			}
			got := run(t, in)
			if *update {
				archive.Files = archive.Files[:len(archive.Files)-1]
				archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
				writeFile(t, name, txtar.Format(archive))
			}
			if diff := cmp.Diff(in["want"], got); diff != "" {
				t.Errorf("want (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDamaged reads entries that no run writes. want has the messages about each, with their
// lines.
func TestDamaged(t *testing.T) {
	goldens(t, "testdata/damaged/*.txtar", func(t *testing.T, in map[string]string) string {
		text := in["entry"]
		e, messages := parse("entry.txt", text)
		if e != nil {
			t.Error("an entry beside messages, or no message")
		}
		var out strings.Builder
		for _, m := range messages {
			line := 1 + strings.Count(text[:m.Pos.Offset], "\n")
			fmt.Fprintf(&out, "%d: %s\n", line, m.Text)
		}
		return out.String()
	})
}
