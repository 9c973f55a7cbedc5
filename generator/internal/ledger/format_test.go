package ledger

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/chain"
)

// TestFormat: ledgers that were written once are read for ever, and written again
// in the same bytes; and they know all that a run over them would add. Nothing may
// change below these folders: a new format comes beside them. The first is older than
// the keys of statuses that are no mirrors.
func TestFormat(t *testing.T) {
	as := func(body string) string { return body }
	t.Run("first", func(t *testing.T) { format(t, "testdata/format", 4, withoutStatus) })
	t.Run("status", func(t *testing.T) { format(t, "testdata/status", 2, as) })
	t.Run("native", func(t *testing.T) { format(t, "testdata/native", 3, as) })
}

func format(t *testing.T, dir string, least int, known func(string) string) {
	want, err := filesBelow(dir)
	if err != nil || len(want) < least {
		t.Fatalf("%d files, %v", len(want), err)
	}
	l, err := Read(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, bodies(l.Files(all))); diff != "" {
		t.Errorf("written again (-want +got):\n%s", diff)
	}
	c, problems := chain.Link(context.Background(), l.Models(), chain.Options{Keys: l.Keys()})
	if len(problems) > 0 {
		t.Error(problems)
	}
	grown := bodies(l.With(c, all, Said{Served: func(*chain.Resource) []string { return nil }}).Files(all))
	for name, body := range grown {
		grown[name] = known(body)
	}
	if diff := cmp.Diff(want, grown); diff != "" {
		t.Errorf("after a run (-want +got):\n%s", diff)
	}
}

// withoutStatus leaves out the keys of bags of a status of its own.
func withoutStatus(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, statusPrefix) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestFormatHasEveryWord: the fixtures hold rows of both kinds.
func TestFormatHasEveryWord(t *testing.T) {
	l, err := Read(context.Background(), "testdata/format")
	if err != nil {
		t.Fatal(err)
	}
	for what, is := range map[string]func(chain.KeyRow) bool{
		"a key of a shape that has the name already": func(k chain.KeyRow) bool { return k.Name != k.Property && !k.Via() },
		"a compat package":                           chain.KeyRow.Via,
		"a key through a list or a map":              func(k chain.KeyRow) bool { return len(k.Path) > 1 },
		"a key of further members":                   func(k chain.KeyRow) bool { return k.Property == chain.AdditionalName },
	} {
		if !slices.ContainsFunc(l.Entries, func(e *Entry) bool { return slices.ContainsFunc(e.Keys, is) }) {
			t.Errorf("the fixtures have not %s", what)
		}
	}
}

func filesBelow(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = string(body)
		return err
	})
	return out, err
}

func bodies(files []File) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		out[f.Path] = string(f.Body)
	}
	return out
}
