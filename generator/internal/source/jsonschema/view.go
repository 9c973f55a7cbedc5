package jsonschema

import "github.com/stratakube/strata/generator/internal/model"

// View selects the properties of a schema: for the spec or for the status.
type View uint8

// The views. The spec is the view of dialects that distinguish none.
const (
	Spec   View = iota // writable properties
	Status             // readable properties
)

// Suffix returns the suffix of names of definitions in the view.
func (v View) Suffix() string {
	if v == Status {
		return "_" + model.StatusSuffix
	}
	return ""
}

// Access is how a property may be used.
type Access struct{ NoWrite, NoRead bool }

// Shows reports whether a view has a property. Secrets are in the spec alone.
func (a Access) Shows(v View, isSecret bool) bool {
	if v == Spec {
		return !a.NoWrite
	}
	return !a.NoRead && !isSecret
}

// Spread marks what leads to any of some schemas, directly or indirectly. from returns the schemas
// that refer to one. mark marks a schema, and returns false if it was marked before.
func Spread[T any](open []T, from func(T) []T, mark func(T) bool) {
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, before := range from(at) {
			if mark(before) {
				open = append(open, before)
			}
		}
	}
}
