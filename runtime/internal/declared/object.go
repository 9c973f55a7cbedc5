package declared

import "github.com/stratakube/strata/runtime"

// Object is an object on one side of a step. Paths lead through objects, by names in storage, and
// the empty path leads to the object itself.
type Object interface {
	// Value returns the JSON of the value at a path, as its type writes it; nil if it is absent.
	Value(path []string) runtime.JSON
	// Set sets the value at a path, and creates the objects around it. It returns an error, and
	// leaves the value absent, if its type cannot represent the JSON.
	Set(path []string, value runtime.JSON) error
	// Remove removes the value at a path.
	Remove(path []string)
	// Has reports whether there is an object at a path, and IsEmpty whether one is there that has
	// no member and no bag.
	Has(path []string) bool
	IsEmpty(path []string) bool
	// Bag returns the property bag of the object at a path; nil if there is no such object, or if
	// its type has no bag.
	Bag(path []string) *runtime.PropertyBag
}
