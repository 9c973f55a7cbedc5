package corpus_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/corpus"
)

func TestDifferencesOfTrees(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"same", "edited", "gone", "rewritten"} {
		write(t, filepath.Join(dir, name), []byte(name))
	}
	before := tree(t, dir)
	write(t, filepath.Join(dir, "edited"), []byte("by hand"))
	write(t, filepath.Join(dir, "new"), nil)
	remove(t, filepath.Join(dir, "gone"))
	for _, name := range []string{"edited", "rewritten"} {
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(filepath.Join(dir, name), later, later); err != nil {
			t.Fatal(err)
		}
	}
	after := tree(t, dir)
	if diff := cmp.Diff([]string{"edited", "gone", "new"}, before.Differences(after)); diff != "" {
		t.Errorf("differences: %s", diff)
	}
	if diff := cmp.Diff([]string{"edited", "gone", "new", "rewritten"}, before.Touched(after)); diff != "" {
		t.Errorf("touched: %s", diff)
	}
}

func TestMeasured(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.go"), []byte("package a\n\nvar x int\n"))
	write(t, filepath.Join(dir, "a_test.go"), []byte("package a\n"))
	write(t, filepath.Join(dir, "a.txt"), []byte("text\n"))
	code, tests, err := corpus.Measured(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := (corpus.Size{Files: 1, Lines: 3, Bytes: 21}); code != want {
		t.Errorf("code is %v, want %v", code, want)
	}
	if want := (corpus.Size{Files: 1, Lines: 1, Bytes: 10}); tests != want {
		t.Errorf("tests are %v, want %v", tests, want)
	}
}
