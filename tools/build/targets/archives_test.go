package targets

import (
	"testing"

	"github.com/stratakube/strata/tools/build/modules"
)

// TestPrefix requires the prefix of this repository, also if an example of another project comes
// first.
func TestPrefix(t *testing.T) {
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	w.Modules = append([]modules.Module{{Path: "example.com/backup", Name: "operator/plugin/example/backup"}}, w.Modules...)
	if got := prefix(w); got != "github.com/stratakube/strata" {
		t.Errorf("the prefix is %s", got)
	}
}
