package source

import "github.com/stratakube/strata/generator/internal/model"

// Function is a function that converts a property of a type between a version of a resource and the
// one before. It makes the value from the earlier value, and another one makes the earlier value
// from it. Or it provides a value for objects of earlier versions, or renames some of the values.
// Type is the name of the definition after refinement.
type Function struct {
	Resource, Version, Type, Property string
	Pos                               model.Pos

	Up, Down *Call
	Fill     *Call
	Values   []string // pairs of an earlier value and its later name; a permutation

	// Later is where the property is in later versions, in their order. The chain uses the
	// first of these versions that it has, if it skips Version.
	Later []Spot
}

// Spot identifies a property of a type in a version.
type Spot struct{ Version, Type, Property string }

// From returns where a function takes effect in a chain that may skip some versions. It returns
// false if it takes effect nowhere.
func (f *Function) From(has func(version string) bool) (Spot, bool) {
	for _, s := range append([]Spot{{f.Version, f.Type, f.Property}}, f.Later...) {
		if has(s.Version) {
			return s, true
		}
	}
	return Spot{}, false
}

// Call is a call of a Go function in generated code, or a value in its place. Without a package,
// the function is one of the runtime's.
type Call struct {
	Package, Name string
	Fails         bool   // returns an error beside its value
	Value         string // in JSON; empty for a function
}
