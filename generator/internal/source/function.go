package source

import "github.com/stratakube/strata/generator/internal/model"

// Function says that, since a version of a resource, a property of a type is made of its earlier value with
// a function, and the earlier one of it with another; or is given a value in objects of earlier versions; or
// has other names for some of its values. Type is the name of a definition once it is refined.
type Function struct {
	Resource, Version, Type, Property string
	Pos                               model.Pos

	Up, Down *Call
	Fill     *Call
	Values   []string // pairs of an earlier value and what it is called since; a permutation

	// Later says where the property is in later versions, in their order: from the first of them that the chain
	// has, where it steps over Version.
	Later []Spot
}

// Spot is a property of a type in a version.
type Spot struct{ Version, Type, Property string }

// From is where a function takes effect in a chain that does not step over some versions, false if nowhere.
func (f *Function) From(has func(version string) bool) (Spot, bool) {
	for _, s := range append([]Spot{{f.Version, f.Type, f.Property}}, f.Later...) {
		if has(s.Version) {
			return s, true
		}
	}
	return Spot{}, false
}

// Call is a function of a Go package that generated code calls; one of the runtime's if it has no package.
type Call struct {
	Package, Name string
	Fails         bool // it returns an error beside its value
}
