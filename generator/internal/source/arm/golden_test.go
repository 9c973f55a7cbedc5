package arm

import (
	"context"
	"testing"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/sourcetest"
)

// TestIdioms reads archives with one idiom of schemas each, and compares the model.
func TestIdioms(t *testing.T) { sourcetest.Goldens(t, "testdata/idioms/*.txtar", readVersions) }

// TestMisuse reads archives of invalid schemas, and compares the messages.
func TestMisuse(t *testing.T) { sourcetest.Goldens(t, "testdata/misuse/*.txtar", readVersions) }

// readVersions reads the files in folders of versions.
func readVersions(ctx context.Context, o Options) (*source.Result, error) {
	o.Include = []string{"20*/*.json"}
	return Read(ctx, o)
}
