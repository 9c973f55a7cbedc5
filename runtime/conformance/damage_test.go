package conformance

import (
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime"
)

// TestDamageOfAdditionalMembers damages entries of additional members: they may lose all members,
// and have no others.
func TestDamageOfAdditionalMembers(t *testing.T) {
	type box struct {
		PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
	const members = `{"a":1}`
	c := &chain{hub: &link{}}
	c.hub.programs.store = programOf[box](t)
	damaged := map[string]int{}
	for seed := range uint64(200) {
		b := box{PropertyBag: runtime.PropertyBag{"known": runtime.JSON(members)}}
		for key := range ofFurthers {
			b.PropertyBag[key] = runtime.JSON(members)
		}
		c.beginAt(seed, 64, nil)
		c.damage(unsafe.Pointer(&b))
		for key := range ofFurthers {
			switch value := string(b.PropertyBag[key]); {
			case value == members:
			case value == "" || value[0] == '{':
				t.Errorf("%s becomes %q", key, value)
			default:
				damaged[key]++
			}
		}
	}
	for key := range ofFurthers {
		if damaged[key] == 0 {
			t.Errorf("%s is never damaged", key)
		}
	}
}
