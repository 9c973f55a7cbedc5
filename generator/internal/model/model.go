package model

import (
	"cmp"
	"strings"
)

// API contains all declarations of the sources of one run.
type API struct {
	Resources []*Resource
}

// Resource is one type of resource with all its versions. Type is the vendor's name in its first
// spelling, such as Microsoft.Batch/batchAccounts/pools. Types that differ only in letter case
// are one resource.
type Resource struct {
	Type     string
	Kind     string // the kind in manifests; empty in a raw model
	Plural   string // lower case, as in REST paths; empty in a raw model
	Versions []*Version

	// Group is the complete API group if the source states it, as CRDs and Go types do. Such a
	// source also states kind and plural, so that a raw model has them too. Group is empty if the
	// group is derived from the type's provider.
	Group string
	Facts Facts
}

// Head returns the resource without its versions.
func (r *Resource) Head() *Resource {
	head := *r
	head.Versions = nil
	return &head
}

// IsNative reports whether the resource's source is a Kubernetes API.
func (r *Resource) IsNative() bool { return r.Group != "" }

// StatesKind reports whether the source of the resource states its kind. If it does, the
// configuration cannot choose another.
func (r *Resource) StatesKind() bool { return r.IsNative() }

// RequiresInStatus reports whether the schema of a status counts for what clients write. A status
// that mirrors the answers of an external API requires nothing.
func (r *Resource) RequiresInStatus() bool { return r.IsNative() }

// IsForClusters reports whether clusters may already store the resource, so that other programs
// may have stored objects of it.
func (r *Resource) IsForClusters() bool { return r.IsNative() }

// HasStatusSubresource reports whether a version of the resource has a status subresource, even
// if the configuration adds none. Kinds that Strata derives from an external API always have one.
func (r *Resource) HasStatusSubresource(v *Version) bool {
	return !r.IsNative() || v.Facts.Get(StatusSubresource) != ""
}

// ByType orders resources by their types in lower case.
func ByType(a, b *Resource) int {
	return strings.Compare(strings.ToLower(a.Type), strings.ToLower(b.Type))
}

// Version is one resource in one API version. Name is the vendor's label, such as
// 2014-04-04-preview.
//
// In a raw model, a resource may have several versions of one name, declared in several files and
// scopes. Package refine unites them.
type Version struct {
	Name    string
	Sources []Source
	Spec    Type // the body of a PUT request; a Ref once refined
	AtRoot  bool // the members of the spec are members of the object itself
	Status  Type // nil: the status mirrors the spec, or a native resource has none
	Facts   Facts
	Defs    []*Def // refined: the closure of Spec and Status, in order of first reach
	Pos     Pos
	// RuleSchema is the schema of whole objects in JSON, reduced to what the costs of the CEL rules in
	// it depend on; empty without rules. Only comparisons read it: it is not printed.
	RuleSchema string
}

// Source states where a version was declared. File is relative to the source's root, with
// slashes.
type Source struct {
	Kind  string // arm, bicep, crd, openapi, go
	File  string
	Scope string // the section that declared it, such as resourceDefinitions
}

// Def is a named definition.
type Def struct {
	Name string
	Doc  string
	Type Type
	Pos  Pos
	// Map is set if the API has a map, and other versions name members of it: storage types have
	// the object instead. Only chains have such definitions.
	Map *Map
}

// Object returns the definition's object, or nil if the definition is of another type.
func (d *Def) Object() *Object {
	o, _ := d.Type.(*Object)
	return o
}

// Type is one of *Scalar, *Enum, *List, *Map, *Object, *Ref and *Any, and in raw models also of
// *OneOf and *AllOf.
type Type interface{ isType() }

// Kind is the kind of a scalar.
type Kind uint8

// The kinds of scalars. Int is an integer of 64 bits, Number a float64.
const (
	String Kind = iota
	Int
	Number
	Bool
)

var kindNames = [...]string{"string", "int", "number", "bool"}

func (k Kind) String() string { return kindNames[k] }

// ScalarText returns the name of a type's stored form: a kind of scalar, the kind of an enum's
// values, or free JSON. It is empty for lists, maps and objects.
func ScalarText(t Type) string {
	switch t := t.(type) {
	case *Scalar:
		return t.Kind.String()
	case *Enum:
		return t.Base.String()
	case *Any:
		return "free JSON"
	}
	return ""
}

// Limits are the constraints of a schema on values. Numbers are stored as their JSON texts. A nil
// *Limits means none.
type Limits struct {
	Format, Pattern            string
	MinLength, MaxLength       string
	Minimum, Maximum           string
	ExclusiveMin, ExclusiveMax bool
	MultipleOf                 string
	MinItems, MaxItems         string
	Unique                     bool
}

// Scalar is a string, integer, number or boolean.
type Scalar struct {
	Kind   Kind
	Limits *Limits
	Facts  Facts
}

// Enum is a scalar with a set of known values. Values are JSON texts, in the order of the schema.
// Open means that the schema also allows other values of the base kind.
type Enum struct {
	Base   Kind
	Values []string
	Open   bool
	Facts  Facts
}

// List is an ordered list.
type List struct {
	Elem   Type
	Limits *Limits
	Facts  Facts
}

// Map is an object with any member names, and values of one type.
type Map struct {
	Elem  Type
	Facts Facts
}

// Object has the members that it declares. Additional is the type of further members; nil if
// there are none. Requires, in raw models only, lists required members that another part of the
// same AllOf declares.
type Object struct {
	Properties []*Property
	Additional Type
	Requires   []string
	Union      *Union
	Facts      Facts
}

// Property returns the object's property of that exact name, or nil.
func (o *Object) Property(name string) *Property {
	for _, p := range o.Properties {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Lookup returns a function that finds properties as [Object.Property] does, and is faster for
// many names. Properties that are added later are not found.
func (o *Object) Lookup() func(name string) *Property {
	if o == nil {
		return func(string) *Property { return nil }
	}
	all := make(map[string]*Property, len(o.Properties))
	for _, p := range o.Properties {
		if all[p.Name] == nil {
			all[p.Name] = p
		}
	}
	return func(name string) *Property { return all[name] }
}

// Property is one member of an object.
type Property struct {
	Name     string
	Wire     string // its name in the external API, if that differs
	Doc      string
	Type     Type
	Required bool
	ReadOnly bool
	Secret   bool
	// Nullable means that an external API also has null. Objects here omit the property instead. It is
	// set where the type has no facts to say so: see Unrepresented.
	Nullable bool
	Default  string // JSON text
	// Deprecated is the advice for users of a deprecated property; empty for others.
	Deprecated string
	Pos        Pos
}

// Documentation returns the documentation of a property. The deprecated values of an enum have a
// paragraph. That the property is deprecated is the last paragraph, as Go's tools expect it.
func (p *Property) Documentation() string {
	doc := p.Doc
	if values := p.valueDocs(); values != "" {
		doc = strings.TrimPrefix(doc+"\n\n"+values, "\n\n")
	}
	switch {
	case p.Deprecated == "":
		return doc
	case doc == "":
		return "The field is deprecated.\n\nDeprecated: " + p.Deprecated
	}
	return doc + "\n\nDeprecated: " + p.Deprecated
}

// SplitDeprecated divides the documentation of a property if its last paragraph says that it is
// deprecated, as in the result of Documentation.
func SplitDeprecated(text string) (doc, deprecated string) {
	const paragraph = "\n\nDeprecated: "
	at := strings.LastIndex(text, "\n\n")
	if at <= 0 || !strings.HasPrefix(text[at:], paragraph) {
		return text, ""
	}
	advice := text[at+len(paragraph):]
	if strings.TrimSpace(advice) == "" {
		return text, ""
	}
	return text[:at], advice
}

// Union contains the branches that an object was merged from, so that a schema can state what
// each value of the discriminator allows and requires. Discriminator is empty if no property
// distinguishes the branches.
type Union struct {
	Discriminator string
	Cases         []Case
}

// Case is one branch of a union. Values are JSON texts of the discriminator.
type Case struct {
	Values   []string
	Allows   []string
	Requires []string
}

// Ref is a reference to a definition.
type Ref struct{ Def *Def }

// Any is free JSON, which is stored verbatim. Reason states why the type is not known; it is
// empty if the schema itself has none.
type Any struct {
	Reason string
	Facts  Facts
}

// OneOf is an alternative of a raw model, whether exclusive or not.
type OneOf struct{ Branches []Type }

// AllOf is a conjunction of a raw model.
type AllOf struct{ Parts []Type }

func (*Scalar) isType() {}
func (*Enum) isType()   {}
func (*List) isType()   {}
func (*Map) isType()    {}
func (*Object) isType() {}
func (*Ref) isType()    {}
func (*Any) isType()    {}
func (*OneOf) isType()  {}
func (*AllOf) isType()  {}

// Pos is a position in a source file: the offset in bytes of the JSON value of a declaration. The
// zero Pos means an unknown position.
type Pos struct {
	File   string
	Offset int
}

// Compare orders positions by file and offset.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Offset, q.Offset))
}

// Def returns the version's definition with the given name, or nil.
func (v *Version) Def(name string) *Def {
	for _, d := range v.Defs {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Version returns the resource's version with the given name, or nil.
func (r *Resource) Version(name string) *Version {
	for _, v := range r.Versions {
		if v.Name == name {
			return v
		}
	}
	return nil
}
