package ledger

import (
	"context"

	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/chain"
)

// TestOlderFormats checks that ledgers of earlier formats are still read, and are written with
// the same bytes if a run is not about them. The first format has the keys of every path, the
// second has no lineages, and the third has no sum. A run over them writes the fourth format. The
// files below these folders must never change.
func TestOlderFormats(t *testing.T) {
	for _, dir := range []string{"format", "status", "native", "second/format", "second/status", "second/native", "second/joins",
		"third/format", "third/status", "third/native", "third/joins"} {
		t.Run(dir, func(t *testing.T) {
			want := fixture(t, filepath.Join("testdata", dir))
			l, after := runOver(t, filepath.Join("testdata", dir))
			if diff := cmp.Diff(want, bodies(filesOf(l, all))); diff != "" {
				t.Errorf("written again (-want +got):\n%s", diff)
			}
			fourth := filepath.Join("testdata/fourth", filepath.Base(dir))
			if *update {
				for path, body := range after {
					writeFile(t, filepath.Join(fourth, path), []byte(body))
				}
			}
			if diff := cmp.Diff(fixture(t, fourth), after); diff != "" {
				t.Errorf("after a run (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFourthFormat checks that existing ledgers are still read and written with the same bytes,
// and that a run over them adds nothing. The files below these folders must never change: a new
// format gets folders of its own.
func TestFourthFormat(t *testing.T) {
	for _, name := range []string{"format", "status", "native", "joins"} {
		t.Run(name, func(t *testing.T) {
			want := fixture(t, "testdata/fourth/"+name)
			l, after := runOver(t, "testdata/fourth/"+name)
			if diff := cmp.Diff(want, bodies(filesOf(l, all))); diff != "" {
				t.Errorf("written again (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, after); diff != "" {
				t.Errorf("after a run (-want +got):\n%s", diff)
			}
		})
	}
}

func fixture(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filesBelow(dir)
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// runOver reads a ledger, and returns its files after a run without other sources.
func runOver(t *testing.T, dir string) (*Ledger, map[string]string) {
	t.Helper()
	l, err := Read(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	c, problems := chain.Link(context.Background(), l.Models(), chain.Options{Records: l.Records()})
	if len(problems) > 0 {
		t.Error(problems)
	}
	return l, bodies(filesOf(l.With(c, all, Decisions{Served: func(*chain.Resource) []string { return nil }}), all))
}

// TestFormatHasEveryWord checks that the fixtures have rows of both kinds.
func TestFormatHasEveryWord(t *testing.T) {
	l, _ := runOver(t, "testdata/fourth/format")
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
	if l, _ := runOver(t, "testdata/fourth/joins"); len(l.Entries[0].Joins) == 0 {
		t.Error("the fixtures have no join")
	}
	if !slices.ContainsFunc(l.Entries, func(e *Entry) bool { return len(e.Lineages) > 0 }) {
		t.Error("the fixtures name no lineage")
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

// filesOf prints the files of a ledger.
func filesOf(l *Ledger, wanted func(resourceType string) bool) []File {
	var out []File
	for _, print := range l.Jobs(wanted) {
		out = append(out, print())
	}
	return out
}

func bodies(files []File) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		out[f.Path] = string(f.Body)
	}
	return out
}
