package sourcetest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// Corpus returns the folder of published schemas with a name: below STRATA_CORPORA, or in
// ../shared/corpora beside the repository. Without it the test is skipped.
func Corpus(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("STRATA_CORPORA")
	if dir == "" {
		dir = filepath.Join(filepath.Dir(repository(t)), "shared", "corpora")
	}
	dir = filepath.Join(dir, name)
	if _, err := os.Stat(filepath.Join(dir, "manifest.tsv")); err != nil {
		t.Skipf("needs corpora: there is no corpus at %s; set STRATA_CORPORA to the folder that holds %s/manifest.tsv", dir, name)
	}
	return dir
}

func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
	}
	return "."
}

// Whole checks that a corpus was read wholly: nothing is broken, there are as many files as wanted,
// and the notation represents all models.
func Whole(t *testing.T, result *source.Result, files int) {
	t.Helper()
	if len(result.Broken) > 0 {
		t.Errorf("%d resource versions are broken:\n%s", len(result.Broken), Report(t, result))
	}
	if len(result.Files) != files {
		t.Errorf("read %d files, want %d", len(result.Files), files)
	}
	for _, n := range result.Notes {
		t.Logf("note: %v", n)
	}
	text := model.Print(result.Resources...)
	again, err := model.Parse("corpus", text)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, model.Print(again...)) {
		t.Error("the model's text does not read back as it was")
	}
}

// Determinism reads a tree with one worker and with eight. The result must not depend on that.
func Determinism(t *testing.T, read Read, root string) {
	t.Helper()
	one, eight := read.Result(t, root, 1), read.Result(t, root, 8)
	if !bytes.Equal(model.Print(one.Resources...), model.Print(eight.Resources...)) {
		t.Error("the model depends on the number of workers")
	}
	one.Resources, eight.Resources = nil, nil
	if diff := cmp.Diff(one, eight); diff != "" {
		t.Errorf("the result depends on the number of workers:\n%s", diff)
	}
}
