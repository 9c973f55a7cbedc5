package model

import (
	"cmp"
	"strings"
)

// API is everything that the sources of one run declare.
type API struct {
	Resources []*Resource
}

// Resource is one type of resource through all its versions. Type is the
// vendor's name as first spelled, such as Microsoft.Batch/batchAccounts/pools;
// spelling variants are one resource.
type Resource struct {
	Type     string
	Kind     string // what users write in manifests; empty in a raw model
	Plural   string // lower case, as in REST paths; empty in a raw model
	Versions []*Version

	// Group is the API group, whole, where the source states it, as those do that
	// speak Kubernetes already; such a source states kind and plural too, also in a
	// raw model. It is empty where the group is made of the type's provider.
	Group string
	Facts Facts
}

// Head returns the resource without its versions.
func (r *Resource) Head() *Resource {
	head := *r
	head.Versions = nil
	return &head
}

// IsNative reports whether the resource's source speaks Kubernetes already.
func (r *Resource) IsNative() bool { return r.Group != "" }

// StatesKind reports whether the source of the resource states its kind. The configuration can
// choose no other.
func (r *Resource) StatesKind() bool { return r.IsNative() }

// IsForClusters reports whether the resource is one of a cluster, so that other programs may have
// stored objects of it.
func (r *Resource) IsForClusters() bool { return r.IsNative() }

// HasStatusSubresource reports whether a version of the resource has a status subresource, also if
// the configuration adds none. Kinds that Strata makes of an external API always have one.
func (r *Resource) HasStatusSubresource(v *Version) bool {
	return !r.IsNative() || v.Facts.Get(StatusSubresource) != ""
}

// ByType orders resources by their types in lower case.
func ByType(a, b *Resource) int {
	return strings.Compare(strings.ToLower(a.Type), strings.ToLower(b.Type))
}

// Version is one resource in one API version. Name is the vendor's label, such
// as 2014-04-04-preview.
//
// In a raw model a resource may have several versions of one name, as declared
// in several files and scopes; refining unites them.
type Version struct {
	Name    string
	Sources []Source
	Spec    Type // the body that one would PUT; a Ref once refined
	AtRoot  bool // the spec's members stand at the root of objects, with no spec around them
	Status  Type // nil: the status mirrors the spec's body; of a native resource, there is none
	Facts   Facts
	Defs    []*Def // refined: the closure of Spec and Status, in order of first reach
	Pos     Pos
}

// Source reports where a version was declared. File is relative to the source's
// root, with slashes.
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
	// Map is set where the API has a map, whose members other versions name: the object is
	// how it is stored. Only chains have such definitions.
	Map *Map
}

// Object returns the definition's object, or nil if it is of another type.
func (d *Def) Object() *Object {
	o, _ := d.Type.(*Object)
	return o
}

// Type is the closed sum of types: *Scalar, *Enum, *List, *Map, *Object, *Ref,
// *Any, and in raw models *OneOf and *AllOf.
type Type interface{ isType() }

// Kind is the kind of a scalar.
type Kind uint8

// The kinds of scalars. Int is a whole number of 64 bits, Number a float64.
const (
	String Kind = iota
	Int
	Number
	Bool
)

var kindNames = [...]string{"string", "int", "number", "bool"}

func (k Kind) String() string { return kindNames[k] }

// ScalarText names what a value of a type is stored as: a kind of scalar, for an
// enum that of its values, or free JSON. It is empty for lists, maps and objects.
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

// Limits are the constraints that a schema puts on values. Numbers are kept as
// their JSON text. A nil *Limits means none.
type Limits struct {
	Format, Pattern            string
	MinLength, MaxLength       string
	Minimum, Maximum           string
	ExclusiveMin, ExclusiveMax bool
	MultipleOf                 string
	MinItems, MaxItems         string
	Unique                     bool
}

// Scalar is a string, whole number, number or boolean.
type Scalar struct {
	Kind   Kind
	Limits *Limits
	Facts  Facts
}

// Enum is a scalar that is meant to take one of some values. Values are JSON
// texts, in the order of the schema. Open says that the schema allows any other
// value of the base kind as well.
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

// Map has any member names, and members of one type.
type Map struct {
	Elem  Type
	Facts Facts
}

// Object has the members that it declares. Additional is the type of further
// members, nil where there are none. Requires, in raw models only, names required
// members that another part of the same conjunction declares.
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

// Lookup returns a function that finds properties as [Object.Property] does, for many of them. It
// knows those that the object has now.
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
	Wire     string // its name outside, where it is another
	Doc      string
	Type     Type
	Required bool
	ReadOnly bool
	Secret   bool
	Default  string // JSON text
	Pos      Pos
}

// Union remembers that an object was merged from branches, so that a schema can
// say again what each value of the discriminator allows and requires.
// Discriminator is empty where no property tells the branches apart.
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

// Ref names a definition.
type Ref struct{ Def *Def }

// Any is free JSON, kept verbatim. Reason says why no type is known; it is
// empty where the schema itself has none.
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

// Pos is a place in a source file: the offset in bytes of the JSON value that
// declares something. The zero Pos is unknown.
type Pos struct {
	File   string
	Offset int
}

// Compare orders positions by file and offset.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Offset, q.Offset))
}

// Def returns the version's definition of that name, or nil.
func (v *Version) Def(name string) *Def {
	for _, d := range v.Defs {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Version returns the resource's version of that name, or nil.
func (r *Resource) Version(name string) *Version {
	for _, v := range r.Versions {
		if v.Name == name {
			return v
		}
	}
	return nil
}
