package openapi

import (
	"testing"

	"github.com/stratakube/strata/generator/internal/source/sourcetest"
)

// TestIdioms reads archives with one idiom of documents each, and compares the model.
func TestIdioms(t *testing.T) { sourcetest.Goldens(t, "testdata/idioms/*.txtar", Read) }

// TestMisuse reads archives of invalid documents, and compares the messages.
func TestMisuse(t *testing.T) { sourcetest.Goldens(t, "testdata/misuse/*.txtar", Read) }
