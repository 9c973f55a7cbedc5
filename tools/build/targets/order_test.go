package targets

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
)

// TestPackagesInOrder is about the modules without checks of their own. It requires that each of
// their packages is tested, and that Test leaves those below the folders that it names. The folders
// exist.
func TestPackagesInOrder(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	w.Modules = slices.DeleteFunc(w.Modules, func(m modules.Module) bool { return !rest(m) })
	all, err := packages.List(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	usual := matching(t, w, lengthy)
	long := matching(t, w, nil)
	left := map[string]int{}
	for _, p := range all {
		folder, err := filepath.Rel(w.Root, p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		folder = filepath.ToSlash(folder)
		i := slices.IndexFunc(lengthy, func(l string) bool { return strings.HasPrefix(folder+"/", l+"/") })
		if i >= 0 {
			left[lengthy[i]]++
		}
		if usual(folder) != (i < 0) {
			t.Errorf("mage test tests %s: %v", folder, usual(folder))
		}
		if !long(folder) {
			t.Errorf("mage test:long does not test %s", folder)
		}
	}
	for _, folder := range lengthy {
		if left[folder] == 0 {
			t.Errorf("%s has no packages", folder)
		}
	}
}

// matching returns what reports whether the patterns of packages match one.
func matching(t *testing.T, w *modules.Workspace, left []string) func(folder string) bool {
	t.Helper()
	patterns, err := inOrder(t.Context(), w, left)
	if err != nil {
		t.Fatal(err)
	}
	return func(folder string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			prefix, below := strings.CutSuffix(p, "/...")
			return p == "./"+folder || below && strings.HasPrefix("./"+folder+"/", prefix+"/")
		})
	}
}
