package hidden

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// TestRestoreLeavesMapsWithoutBags sees a write by the key: a map takes the new one, which has its
// own memory.
func TestRestoreLeavesMapsWithoutBags(t *testing.T) {
	type tagged struct {
		Tags map[string]string `json:"tags"`
	}
	spec := tagged{Tags: map[string]string{"shared": "yes"}}
	keyText := func() *byte {
		for key := range spec.Tags {
			return unsafe.StringData(key)
		}
		return nil
	}
	before := keyText()
	tags, p := shape.Of(reflect.TypeFor[tagged]()).Member("tags"), shape.Address(&spec)
	r := NewGoRestorer(nil)
	defer r.Done()
	r.named(goNode{tags.Shape, unsafe.Add(p, tags.Offset)}, tags.Shape, r.cursor(runtime.JSON(`{"shared":{"bag":{"x":1}}}`)), asItIs)
	if keyText() != before {
		t.Error("the entry was written again")
	}
}
