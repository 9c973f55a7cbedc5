package hidden

import (
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Raws puts the values that Decode took out of an API object into the storage object, each in the
// bag at its place. Of and ofStatus are the shapes of the spec and the status.
func (r *Restorer) Raws(raws runtime.JSON, of, ofStatus *shape.Shape, spec, status unsafe.Pointer) {
	r.raw = true
	defer func() { r.raw = false }()
	jsontext.EachMember(raws, func(section []byte, node runtime.JSON) {
		switch string(section) {
		case "spec":
			r.Part(of, spec, node)
		case "status":
			r.Part(ofStatus, status, node)
		}
	})
}
