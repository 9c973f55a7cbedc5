package genruntime

import (
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// raws puts the values that Decode took out of an API object into the storage object, each in the bag at its place. Of and ofStatus are
// the shapes of the spec and the status.
func (r *restorer) raws(raws runtime.JSON, of, ofStatus *shape, spec, status unsafe.Pointer) {
	r.raw = true
	defer func() { r.raw = false }()
	jsontext.EachMember(raws, func(section []byte, node runtime.JSON) {
		switch string(section) {
		case "spec":
			r.part(of, spec, node)
		case "status":
			r.part(ofStatus, status, node)
		}
	})
}
