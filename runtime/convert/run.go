package convert

import (
	"github.com/stratakube/strata/runtime/internal/hidden"
)

// run holds the state of one conversion: the parts of the object that were read, and the
// positions of its sections.
type run struct {
	*edit
	direction *direction
	meta      []byte
	seen      uint8
	spec      section
	status    section
	// specIn and statusIn are the positions of the values of spec and status in the source.
	specIn, statusIn section
	// known is metadata that was read before and can be read again without a check; nil if there is
	// none.
	known []byte
	// base is the offset in out at which the object begins.
	base int
	// hidden has the values to restore; nil if there are none.
	hidden *hidden.Bag
	// original is the original version of the hub's spec.
	original string
}

// section is the position of the spec or the status in a text. In out it begins with the name,
// behind the comma.
type section struct{ start, end int }

const (
	sawVersion uint8 = 1 << iota
	sawKind
	sawMeta
	sawSpec
	sawStatus
)
