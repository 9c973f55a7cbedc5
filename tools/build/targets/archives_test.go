package targets

import (
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
)

// TestPrefix requires the prefix of this repository, whatever module comes first.
func TestPrefix(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Modules {
		one := &modules.Workspace{Root: w.Root, Modules: w.Modules[i:]}
		if got := prefix(one); got != "github.com/stratakube/strata" {
			t.Errorf("with %s first, the prefix is %s", w.Modules[i].Path, got)
		}
	}
}
