package convert

import (
	"github.com/stratakube/strata/runtime/internal/hidden"
)

// run is the state of one conversion: what was read of the object, and where its sections are.
type run struct {
	*edit
	direction *direction
	meta      []byte
	seen      uint8
	spec      section
	status    section
	// source is the spec as it was read.
	source []byte
	// base is where the object begins in what is written.
	base int
	// hidden is what has to be restored.
	hidden *hidden.Bag
	// original is the original version of the hub's spec.
	original string
}

// section is where the spec or the status is in what is written: from start, which is behind the
// comma, to end.
type section struct{ start, end int }

const (
	sawVersion uint8 = 1 << iota
	sawKind
	sawMeta
	sawSpec
	sawStatus
)
