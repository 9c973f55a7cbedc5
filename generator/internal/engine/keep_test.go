package engine_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

// kept is the key under which a script stores the content of its folders.
type kept struct{}

func keep(ts *testscript.TestScript, _ bool, args []string) {
	folders := ts.Value(kept{}).(map[string]map[string]string)
	files, err := contents(ts.MkAbs(args[0]))
	ts.Check(err)
	folders[args[0]] = files
}

func isKept(ts *testscript.TestScript, _ bool, args []string) {
	want := ts.Value(kept{}).(map[string]map[string]string)[args[0]]
	got, err := contents(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, glob := range args[1:] {
		dropped := drop(want, glob) + drop(got, glob)
		if dropped == 0 {
			ts.Fatalf("no file matches %s", glob)
		}
	}
	if changed := differing(want, got); len(changed) > 0 {
		ts.Fatalf("%s is not what it was: %s (-was +is):\n%s", args[0], strings.Join(changed, ", "), cmp.Diff(want[changed[0]], got[changed[0]]))
	}
}

// differing names the files that are not the same in both, sorted.
func differing(want, got map[string]string) []string {
	both := maps.Clone(want)
	maps.Copy(both, got)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(both)), func(name string) bool {
		was, before := want[name]
		is, now := got[name]
		return before == now && was == is
	})
}

// drop removes the files that match a glob from a comparison.
func drop(files map[string]string, glob string) int {
	n := 0
	for name := range files {
		if doublestar.MatchUnvalidated(glob, name) {
			delete(files, name)
			n++
		}
	}
	return n
}

// contents reads all files below a folder by their slash paths.
func contents(dir string) (map[string]string, error) {
	files := map[string]string{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(root, path)
		files[path] = string(body)
		return err
	})
	return files, err
}

// write writes a file below a folder, which need not exist.
func write(t testing.TB, dir, name, body string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}
