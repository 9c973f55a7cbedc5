package model

import (
	"encoding/json"
	"slices"
)

// Fact is what a source says that the model has no words for, and that back-ends
// say again: of a type a keyword of its schema, as x-kubernetes-list-type; of a
// version or resource a part of its definition, as additionalPrinterColumns or scope.
// Value is its JSON text, without space between tokens.
type Fact struct{ Name, Value string }

// The facts of native resources and of their versions.
const (
	Scope       = "scope"       // of a resource: "Cluster" or "Namespaced"
	ListKind    = "listKind"    // of a resource
	Singular    = "singular"    // of a resource
	ShortNames  = "shortNames"  // of a resource
	Categories  = "categories"  // of a resource
	Annotations = "annotations" // of a resource: those of its definition
	Labels      = "labels"      // of a resource: those of its definition
	Skip        = "skip"        // of a resource or version: a list of outputs that are not to be written

	Served             = "served"             // of a version: true or false
	Deprecated         = "deprecated"         // of a version: true
	DeprecationWarning = "deprecationWarning" // of a version
	StatusSubresource  = "status"             // of a version: {}
	Scale              = "scale"              // of a version
	Columns            = "additionalPrinterColumns"
	SelectableFields   = "selectableFields"
	VersionDoc         = "doc"  // of a version: documentation of all its resources
	NameLimits         = "name" // of a version that is not native: the JSON schema of what names outside must be like
	// StoredBy is of a native version: "aso" where another program has stored objects of it, in
	// a storage version of its own.
	StoredBy = "storedBy"
	Schema   = "schema" // of a version: what its schema states about the whole object, beside spec and status
)

// DeprecatedValues is a fact of an enum: an object with the deprecated values, each with a note on
// what to do instead. Schemas do not have it.
const DeprecatedValues = "deprecatedValues"

// Facts are facts of different names, in the order of the source.
type Facts []Fact

// AddFacts adds facts to those of a type that has room for some.
func AddFacts(t Type, facts ...Fact) {
	switch t := t.(type) {
	case *Scalar:
		t.Facts = append(t.Facts, facts...)
	case *Enum:
		t.Facts = append(t.Facts, facts...)
	case *List:
		t.Facts = append(t.Facts, facts...)
	case *Map:
		t.Facts = append(t.Facts, facts...)
	case *Object:
		t.Facts = append(t.Facts, facts...)
	case *Any:
		t.Facts = append(t.Facts, facts...)
	}
}

// FactsOf returns the facts of a type; those of its definition for a reference.
func FactsOf(t Type) Facts {
	switch t := t.(type) {
	case *Scalar:
		return t.Facts
	case *Enum:
		return t.Facts
	case *List:
		return t.Facts
	case *Map:
		return t.Facts
	case *Object:
		return t.Facts
	case *Any:
		return t.Facts
	case *Ref:
		return FactsOf(t.Def.Type)
	}
	return nil
}

// Get returns the JSON text of a fact, empty where there is none.
func (f Facts) Get(name string) string {
	for _, x := range f {
		if x.Name == name {
			return x.Value
		}
	}
	return ""
}

// Text returns a fact that is a string; empty where there is none.
func (f Facts) Text(name string) string {
	var s string
	if len(f) == 0 {
		return ""
	}
	if json.Unmarshal([]byte(f.Get(name)), &s) != nil {
		return ""
	}
	return s
}

// The outputs that a source may ask to skip.
const (
	SkipCRD     = "crd"     // of a resource: its definition
	SkipTests   = "tests"   // of a resource: its generated tests
	SkipHelpers = "helpers" // of a resource or version: the type that holds an object of any version
)

// DeprecatedValues returns the notes of the deprecated values of an enum, by their JSON.
func (e *Enum) DeprecatedValues() map[string]string {
	var notes map[string]string
	if text := e.Facts.Get(DeprecatedValues); text == "" || json.Unmarshal([]byte(text), &notes) != nil {
		return nil
	}
	out := map[string]string{}
	for _, v := range e.Values {
		var value string
		if json.Unmarshal([]byte(v), &value) == nil && notes[value] != "" {
			out[v] = notes[value]
		}
	}
	return out
}

// Skips reports whether an output is not to be written.
func (f Facts) Skips(output string) bool {
	var all []string
	if text := f.Get(Skip); text == "" || json.Unmarshal([]byte(text), &all) != nil {
		return false
	}
	return slices.Contains(all, output)
}

// Without returns the facts but for some.
func (f Facts) Without(names ...string) Facts {
	return slices.DeleteFunc(slices.Clone(f), func(x Fact) bool { return slices.Contains(names, x.Name) })
}

// Only returns some of the facts.
func (f Facts) Only(names ...string) Facts {
	return slices.DeleteFunc(slices.Clone(f), func(x Fact) bool { return !slices.Contains(names, x.Name) })
}

// Equal reports whether two have the same facts in the same order.
func (f Facts) Equal(g Facts) bool { return slices.Equal(f, g) }
