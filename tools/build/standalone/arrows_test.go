package standalone

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/modules"
)

const nested = `
-- go.work --
go 1.26.0
use (
	./base
	./base/part
	./upper
)
-- base/go.mod --
module example.com/base
go 1.26.0
-- base/base.go --
package base
-- base/part/go.mod --
module example.com/base/part
go 1.26.0
-- base/part/deep/deep.go --
package deep
import _ "example.com/base"
-- upper/go.mod --
module example.com/upper
go 1.26.0
-- upper/upper.go --
package upper
import _ "example.com/upper/own"
-- upper/own/own.go --
package own
-- upper/own/own_test.go --
package own_test
import _ "example.com/base/part/deep"
import _ "fmt"
`

// TestArrows checks the requirements that are offered to a module: those of other modules must
// not get into its go.mod.
func TestArrows(t *testing.T) {
	root := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(nested)), root); err != nil {
		t.Fatal(err)
	}
	w, err := modules.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := arrows(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]bool{
		"example.com/base":      {},
		"example.com/base/part": {"example.com/base": true},
		"example.com/upper":     {"example.com/base/part": true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
