package crd

import (
	"context"
	"os"
	"testing"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/sourcetest"
)

// TestIdioms reads archives with one idiom of CRDs each, and compares the model.
func TestIdioms(t *testing.T) { sourcetest.Goldens(t, "testdata/idioms/*.txtar", readAll) }

// TestMisuse reads archives of invalid CRDs, and compares the messages.
func TestMisuse(t *testing.T) { sourcetest.Goldens(t, "testdata/misuse/*.txtar", readAll) }

// readAll reads all files of a tree.
func readAll(ctx context.Context, o source.Options) (*source.Result, error) {
	files, err := source.List(o.Root, os.DirFS(o.Root))
	if err != nil {
		return nil, err
	}
	return Read(ctx, Options{Releases: []Release{{Root: o.Root, Files: files}}, Workers: o.Workers})
}
