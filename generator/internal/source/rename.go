package source

import (
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// Rename records that the property of a type in a version is called To in the next version of the
// main line. It has the effect of nameInNextVersion in metadata, for sources that know renames
// themselves. Type is the name of the definition after refinement.
type Rename struct {
	Resource, Version, Type, Property, To string
	// Leaf is the preview that has the name; empty if the next version of the main line has it.
	Leaf string
	Pos  model.Pos
}

// Change records that a property of a type undergoes a declared change after a version. It has the
// effect of the entry in metadata.
type Change struct {
	Resource, Version, Type, Property string
	Operation                         operation.Operation
	// In is the preview that has the later values, if it follows a stable version; empty for the
	// next version of the main line.
	In  string
	Pos model.Pos
}
