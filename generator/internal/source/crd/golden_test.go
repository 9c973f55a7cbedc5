package crd

import (
	"os"
	"testing"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/sourcetest"
)

// TestIdioms reads archives with one idiom of CRDs each, and compares the model.
func TestIdioms(t *testing.T) { sourcetest.Goldens(t, "testdata/idioms/*.txtar", readDir) }

// TestMisuse reads archives of invalid CRDs, and compares the messages.
func TestMisuse(t *testing.T) { sourcetest.Goldens(t, "testdata/misuse/*.txtar", readDir) }

func readDir(t *testing.T, dir string, workers int) *source.Result {
	t.Helper()
	files, err := source.List(dir, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	result, err := Read(t.Context(), Options{Root: dir, Files: files, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return result
}
