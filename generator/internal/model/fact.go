package model

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
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
	// StorageVersion is of a resource: the version that the CRD of its source stores objects in.
	// StoredVersions are all that it has stored objects in, if its status lists them.
	StorageVersion = "storageVersion"
	StoredVersions = "storedVersions"

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
// advice for its users. Schemas of CRDs do not state it.
const DeprecatedValues = "deprecatedValues"

// Unrepresented is a fact of a type of an external API: an object with the keywords of its schema
// that neither Go types nor CRDs have. Only comparisons read it.
const Unrepresented = "unrepresented"

// Alternatives is a member of Unrepresented: the names of the types that a value may have, if the
// reason for its free JSON does not name them all.
const Alternatives = "alternatives"

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
	notes := deprecatedValues(e.Facts)
	if notes == nil {
		return nil
	}
	out := map[string]string{}
	for _, v := range e.Values {
		if note := notes[enumText(v)]; note != "" {
			out[v] = note
		}
	}
	return out
}

// deprecatedValues returns the fact DeprecatedValues; nil if there is none.
func deprecatedValues(f Facts) (notes map[string]string) {
	if text := f.Get(DeprecatedValues); text == "" || json.Unmarshal([]byte(text), &notes) != nil {
		return nil
	}
	return notes
}

// enumText returns a value of an enum as people write it: a string without quotes.
func enumText(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) != nil {
		return value
	}
	return text
}

// Deprecate records that values of an enum are deprecated. Notes are by the JSON of the values.
func (e *Enum) Deprecate(notes map[string]string) {
	all := map[string]string{}
	for value, note := range notes {
		all[enumText(value)] = note
	}
	e.Facts = withDeprecatedValues(e.Facts, all)
}

// MergeDeprecatedValues returns facts of an enum that was merged from two: those that both have,
// and the deprecated values of each.
func MergeDeprecatedValues(a, b Facts) Facts {
	notes := deprecatedValues(b)
	if notes == nil {
		notes = map[string]string{}
	}
	maps.Copy(notes, deprecatedValues(a))
	a, b = a.Without(DeprecatedValues), b.Without(DeprecatedValues)
	if !a.Equal(b) {
		a = nil
	}
	return withDeprecatedValues(a, notes)
}

// withDeprecatedValues returns facts in which the deprecated values are those of notes.
func withDeprecatedValues(f Facts, notes map[string]string) Facts {
	f = f.Without(DeprecatedValues)
	if len(notes) == 0 {
		return f
	}
	return append(f, Fact{DeprecatedValues, factText(notes)})
}

// factText returns a value as the text of a fact: JSON whose characters are printable.
func factText(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return "null"
	}
	var out []byte
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		if unicode.IsPrint(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, "\\u%04x", unit)
		}
	}
	return string(out)
}

// valueDocs describes the deprecated values of a property's enum, also in lists and maps; empty for
// none.
func (p *Property) valueDocs() string {
	t := p.Type
	for {
		switch of := t.(type) {
		case *List:
			t = of.Elem
			continue
		case *Map:
			t = of.Elem
			continue
		case *Enum:
			return of.deprecationDoc()
		}
		return ""
	}
}

func (e *Enum) deprecationDoc() string {
	notes := e.DeprecatedValues()
	var out []string
	for _, v := range slices.Sorted(maps.Keys(notes)) {
		out = append(out, enumText(v)+" ("+notes[v]+")")
	}
	if out == nil {
		return ""
	}
	return "Deprecated values: " + strings.Join(out, ", ") + "."
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

// RuleKeyword is the keyword of rules in CEL.
const RuleKeyword = "x-kubernetes-validations"

// ForPeople are the keywords of schemas that have no effect on values.
var ForPeople = []string{"description", "title", "example", "externalDocs"}
