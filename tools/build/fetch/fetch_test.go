package fetch

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// other returns the files of another commit of the example.
func other() files {
	f := example()
	f["schemas/a/one.json"] = `{"one": "another"}`
	f["schemas/c/four.json"] = `{"four": 4}`
	return f
}

func TestWrongHashInstallsNothing(t *testing.T) {
	changed := example()
	changed["schemas/b/two.json"] = `{"two": 3}` // of the same size
	b := newBench(t, example().pin("things")).from(serving(t, changed.archive(t)))
	b.wantError("fetch: things: the files are not the pinned ones: 3 files (5.0 kB) with digest", "hint: if the new files are meant, pin them: strata-fetch pin things")
	b.wantStanding("things", files{})
}

func TestOtherFilesThanPinnedAreRefused(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(files)
		want   string
	}{
		{"a file more", func(f files) { f["schemas/new.json"] = "" }, "more than the 3 files that are pinned"},
		{"a file less", func(f files) { delete(f, "schemas/b/three.json") }, "not the pinned ones: 2 files"},
		{"a longer file", func(f files) { f["schemas/b/two.json"] += "\n" }, "more than the 5.0 kB that are pinned"},
		{"a shorter file", func(f files) { f["schemas/b/two.json"] = "" }, "not the pinned ones"},
		{"a renamed file", func(f files) { f["schemas/b/3.json"] = ""; delete(f, "schemas/b/three.json") }, "not the pinned ones"},
		{"two files with their contents swapped", func(f files) {
			f["schemas/b/two.json"], f["schemas/b/three.json"] = f["schemas/b/three.json"], f["schemas/b/two.json"]
		}, "not the pinned ones"},
		{"nothing that is selected", func(f files) { clear(f); f["README"] = "x" }, `no file matches "schemas/**/*.json"`},
	} {
		t.Run(c.reason, func(t *testing.T) {
			changed := example()
			c.change(changed)
			b := newBench(t, example().pin("things")).from(serving(t, changed.archive(t)))
			b.wantError(c.want)
			b.wantStanding("things", files{})
		})
	}
}

func TestPinMustCountRightly(t *testing.T) {
	s := example().pin("things")
	s.Files, s.Bytes = s.Files+1, s.Bytes+1
	b := newBench(t, s).from(serving(t, example().archive(t)))
	b.wantError("the digest is the pinned one, but its files amount to 3 files", "hint: correct files and bytes in the pin of things")
	b.wantStanding("things", files{})
}

func TestFailureLeavesOldTree(t *testing.T) {
	h := serving(t, example().archive(t))
	b := newBench(t, example().pin("things")).from(h)
	b.wantRun()
	b.pins(other().pin("things"))
	b.wantError("that are pinned")
	b.wantStanding("things", example().selected())
}

func TestNewPinReplacesTree(t *testing.T) {
	b := newBench(t, example().pin("things")).from(serving(t, example().archive(t)))
	b.wantRun()
	b.pins(other().pin("things"))
	b.from(serving(t, other().archive(t))).wantRun()
	b.wantStanding("things", other().selected())
}

func TestFilesChangedByHandAreFetchedAgain(t *testing.T) {
	for reason, change := range map[string]func(dir string) error{
		"an edit": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "schemas/b/two.json"), []byte(`{"two": 9}`), 0o644)
		},
		"a new file": func(dir string) error { return os.WriteFile(filepath.Join(dir, "notes"), nil, 0o644) },
		"a deletion": func(dir string) error { return os.Remove(filepath.Join(dir, "schemas/b/two.json")) },
		"a link":     func(dir string) error { return os.Symlink("schemas", filepath.Join(dir, "link")) },
	} {
		t.Run(reason, func(t *testing.T) {
			b := newBench(t, example().pin("things")).from(serving(t, example().archive(t)))
			b.wantRun()
			check(t, change(filepath.Join(b.o.Dest, "things")))
			b.wantRun()
			b.wantLines("brought again")
			b.wantStanding("things", example().selected())
		})
	}
}

func TestOneFailureDoesNotKeepOthers(t *testing.T) {
	missing := other().pin("missing")
	missing.Repository = "github.com/example/missing"
	data := example().archive(t)
	h := newHost(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if strings.Contains(r.URL.Path, "missing") {
			http.NotFound(w, r)
			return
		}
		serve(w, r, data)
	})
	b := newBench(t, missing, example().pin("things")).from(h)
	b.wantError("fetch: missing: download", "404")
	b.wantStanding("things", example().selected())
}

func TestOnlyNamedSourcesAreBrought(t *testing.T) {
	b := newBench(t, example().pin("things"), example().pin("more")).from(serving(t, example().archive(t)))
	b.o.Only = []string{"more"}
	b.wantRun()
	b.wantStanding("things", files{})
	b.wantStanding("more", example().selected())
	b.o.Only = []string{"mor"}
	b.wantError(`fetch: no source is called "mor"; there are things, more`)
}
