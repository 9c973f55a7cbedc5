package source_test

import (
	"os"
	"testing"

	"github.com/stratakube/strata/generator/internal/source"
)

func TestListOfNothing(t *testing.T) {
	if _, err := source.List("none", os.DirFS("none")); err == nil {
		t.Error("a root that does not exist lists no files, silently")
	}
}
