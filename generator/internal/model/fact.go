package model

import (
	"encoding/json"
	"slices"
)

// Fact is a statement of a source that the model cannot express, and that back ends print. A fact
// of a type is a keyword of its schema, such as x-kubernetes-list-type. A fact of a version or
// resource is a part of its CRD, such as additionalPrinterColumns or scope. Value is its JSON
// text, without space between tokens.
type Fact struct{ Name, Value string }

// The facts of native resources and of their versions.
const (
	Scope       = "scope"       // of a resource: "Cluster" or "Namespaced"
	ListKind    = "listKind"    // of a resource
	Singular    = "singular"    // of a resource
	ShortNames  = "shortNames"  // of a resource
	Categories  = "categories"  // of a resource
	Annotations = "annotations" // of a resource: those of its CRD
	Labels      = "labels"      // of a resource: those of its CRD
	Skip        = "skip"        // of a resource or version: a list of outputs to omit

	Served             = "served"             // of a version: true or false
	Deprecated         = "deprecated"         // of a version: true
	DeprecationWarning = "deprecationWarning" // of a version
	StatusSubresource  = "status"             // of a version: {}
	Scale              = "scale"              // of a version
	Columns            = "additionalPrinterColumns"
	SelectableFields   = "selectableFields"
	VersionDoc         = "doc"  // of a version: documentation of all its resources
	NameLimits         = "name" // of a version that is not native: the JSON schema of external names
	// StoredBy is of a native version: "aso" if another program has stored objects of it, in a
	// storage version of its own.
	StoredBy = "storedBy"
	Schema   = "schema" // of a version: the schema's statements about the whole object
)

// DeprecatedValues is a fact of an enum: an object with the deprecated values, each with the
// advice for its users. Schemas do not state it.
const DeprecatedValues = "deprecatedValues"

// IntegerType is a fact of an integer or an enum of integers: its type in the source, such as
// uint8, if that is not an int64. Storage has an int64. Schemas do not state it.
const IntegerType = "integerType"

// IntegerTypes are the values of the fact IntegerType.
var IntegerTypes = []string{"int", "int8", "int16", "int32", "uint", "uint8", "uint16", "uint32", "uint64"}

// IntegerTypeOf returns the fact IntegerType of a type; empty if it has none.
func IntegerTypeOf(t Type) string {
	var facts Facts
	switch t := t.(type) {
	case *Scalar:
		if t.Kind == Int {
			facts = t.Facts
		}
	case *Enum:
		if t.Base == Int {
			facts = t.Facts
		}
	}
	if name := facts.Text(IntegerType); slices.Contains(IntegerTypes, name) {
		return name
	}
	return ""
}

// Facts are facts with distinct names, in the order of the source.
type Facts []Fact

// AddFacts adds facts to a type; it has no effect on references, OneOf and AllOf.
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

// FactsOf returns the facts of a type. For a reference it returns those of its definition.
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

// Get returns the JSON text of a fact; empty if there is none.
func (f Facts) Get(name string) string {
	for _, x := range f {
		if x.Name == name {
			return x.Value
		}
	}
	return ""
}

// Texts returns a fact that is a list of strings; nil if there is none.
func (f Facts) Texts(name string) []string {
	var all []string
	if text := f.Get(name); text == "" || json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	return all
}

// Text returns a fact that is a string; empty if there is none.
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

// The values of the fact Skip: outputs that are not generated.
const (
	SkipCRD     = "crd"     // of a resource: its CRD
	SkipTests   = "tests"   // of a resource: its generated tests
	SkipHelpers = "helpers" // of a resource or version: the type for objects of any version
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

// Skips reports whether an output is not to be generated.
func (f Facts) Skips(output string) bool {
	var all []string
	if text := f.Get(Skip); text == "" || json.Unmarshal([]byte(text), &all) != nil {
		return false
	}
	return slices.Contains(all, output)
}

// Without returns the facts except those with the given names.
func (f Facts) Without(names ...string) Facts {
	return slices.DeleteFunc(slices.Clone(f), func(x Fact) bool { return slices.Contains(names, x.Name) })
}

// Only returns the facts with the given names.
func (f Facts) Only(names ...string) Facts {
	return slices.DeleteFunc(slices.Clone(f), func(x Fact) bool { return !slices.Contains(names, x.Name) })
}

// Equal reports whether f and g have the same facts in the same order.
func (f Facts) Equal(g Facts) bool { return slices.Equal(f, g) }
