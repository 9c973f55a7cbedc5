package ledger

import (
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
// change below testdata/format: a new format comes beside it.
func TestFormat(t *testing.T) {
	const dir = "testdata/format"
	want, err := filesBelow(dir)
	if err != nil || len(want) < 4 {
		t.Fatalf("%d files, %v", len(want), err)
	}
	l, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, bodies(l.Files(all))); diff != "" {
		t.Errorf("written again (-want +got):\n%s", diff)
	}
	c, problems := chain.Link(l.Models(), chain.Options{Keys: l.Keys()})
	if len(problems) > 0 {
		t.Error(problems)
	}
	grown := l.With(c, all, func(*chain.Resource) []string { return nil })
	got := bodies(grown.Files(all))
	// When this was written, a status of its own was known and no bag of it: a run adds the keys of such bags.
	const account = "demo/account.txt"
	if !strings.Contains(got[account], "\n"+statusPrefix) {
		t.Error("a run adds no keys of the bags of a status of its own")
	}
	got[account] = withoutStatus(got[account])
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after a run (-want +got):\n%s", diff)
	}
}

// TestNativeFormat: the same of ledgers of resources whose sources speak Kubernetes, which have facts and keys of bags
// of a status of its own. Nothing may change below testdata/native either.
func TestNativeFormat(t *testing.T) {
	const dir = "testdata/native"
	want, err := filesBelow(dir)
	if err != nil || len(want) < 3 {
		t.Fatalf("%d files, %v", len(want), err)
	}
	l, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, bodies(l.Files(all))); diff != "" {
		t.Errorf("written again (-want +got):\n%s", diff)
	}
	c, problems := chain.Link(l.Models(), chain.Options{Keys: l.Keys()})
	if len(problems) > 0 {
		t.Error(problems)
	}
	grown := l.With(c, all, func(*chain.Resource) []string { return nil })
	if diff := cmp.Diff(want, bodies(grown.Files(all))); diff != "" {
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
	l, err := Read("testdata/format")
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
