package source

import "github.com/stratakube/strata/generator/internal/model"

// Rename says that, in a version of a resource, a property of a type is called To in the next
// version of the main line. It is what metadata calls nameInNextVersion, where the source knows
// it by itself. Type is the name of a definition once it is refined.
type Rename struct {
	Resource, Version, Type, Property, To string
	Pos                                   model.Pos
}
