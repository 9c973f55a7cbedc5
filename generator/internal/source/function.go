package source

// Function says that, since a version of a resource, a property of a type is made of its earlier value with
// a function, and the earlier one of it with another; or is given a value in objects of earlier versions; or
// has other names for some of its values. Type is the name of a definition once it is refined.
type Function struct {
	Resource, Version, Type, Property string

	Up, Down *Call
	Fill     *Call
	Values   []string // pairs of an earlier value and what it is called since; a permutation
}

// Call is a function of a Go package that generated code calls; one of the runtime's if it has no package.
type Call struct {
	Package, Name string
	Fails         bool // it returns an error beside its value
}
