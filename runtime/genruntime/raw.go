package genruntime

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// raws puts the values that Decode took out of an API object into the storage object, each in the bag at its place.
func (r *restorer) raws(p *program, raws runtime.JSON, spec, status unsafe.Pointer) {
	r.raw = true
	defer func() { r.raw = false }()
	jsontext.EachMember(raws, func(section []byte, node runtime.JSON) {
		switch string(section) {
		case "spec":
			r.part(p.spec, spec, node)
		case "status":
			r.part(p.status, status, node)
		}
	})
}

// step is one step of a path: a member or a key, or the index of an element where index is not negative.
type step struct {
	name  string
	index int
}

func member(name string) step { return step{name: name, index: -1} }

// path is the place of a value in an object.
type path []step

// String spells a path as in spec.phones[2].number.
func (p path) String() string {
	var out strings.Builder
	for i, s := range p {
		switch {
		case s.index >= 0:
			out.WriteString("[" + strconv.Itoa(s.index) + "]")
		case i > 0:
			out.WriteString("." + s.name)
		default:
			out.WriteString(s.name)
		}
	}
	return out.String()
}
