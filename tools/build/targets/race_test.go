package targets

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
)

// TestWatchedPackages requires that the watched packages belong to raced modules, and have tests
// that start goroutines. The race detector finds nothing in other tests.
func TestWatchedPackages(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	all, err := packages.List(t.Context(), chosenOf(w, concurrent))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range watched {
		i := slices.IndexFunc(all, func(p packages.Package) bool { return p.Dir == filepath.Join(w.Root, filepath.FromSlash(folder)) })
		if i < 0 {
			t.Errorf("%s is in no module whose tests run under the race detector", folder)
			continue
		}
		if names, err := all[i].Concurrent(); err != nil || len(names) == 0 {
			t.Errorf("tests of %s that start goroutines are %q (error %v), want some", folder, names, err)
		}
	}
}
