package plan

import (
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// Plan is every decision of a run.
type Plan struct {
	Groups []*Group
}

// Group is the plan of one API group.
type Group struct {
	Chain    *chain.Group
	Packages []*Package // in order of their labels
	Kinds    []*Kind    // in order of resource types
}

// Kind is a resource: what is generated for it in every version.
type Kind struct {
	Group    *Group
	Resource *chain.Resource
	Name     string
	Versions []*KindVersion // as Resource.Versions
}

// Hub is the kind's version whose storage type is the hub.
func (k *Kind) Hub() *KindVersion { return k.Versions[k.Resource.Hub.Index] }

// KindVersion is a resource in one version.
type KindVersion struct {
	Kind         *Kind
	Version      *chain.Version
	Package      *Package
	Spec, Status *Struct
	// Hub tells that the version's storage type is or has been the hub: clusters
	// may hold objects of it.
	Hub bool
}

// Next is the neighbour towards the hub, nil for the hub.
func (k *KindVersion) Next() *KindVersion {
	if k.Version.Next == nil {
		return nil
	}
	return k.Kind.Versions[k.Version.Next.Index]
}

// Package is an API version of a group: a package of API types and, below it,
// one of storage types.
type Package struct {
	Group   *Group
	Label   string
	Kinds   []*KindVersion
	Structs []*Struct
	Enums   []*Enum
}

// Role tells the roots of a resource from what is nested in them.
type Role uint8

// The roles of structs.
const (
	Nested Role = iota
	Spec
	Status
)

// Struct is an API type and its storage type, which have the same fields.
type Struct struct {
	Package *Package
	Owner   *KindVersion // the resource whose files declare it
	Role    Role
	Name    string
	Doc     string
	Fields  []*Field

	// Host is the struct that declares the storage type: the struct itself, or
	// one nearer to the hub whose storage type is equal in every respect.
	Host *Struct
	// Stored tells that objects of a hub, present or former, hold values of the
	// storage type.
	Stored bool
	// Steps convert between the storage type and its neighbours towards the hub,
	// one for each package in which one stands. None where Host is another.
	Steps []*Step
	// Fused convert between the API type and storage types beyond its own,
	// without objects between.
	Fused []*Step
}

// Shared tells whether the storage type is declared elsewhere.
func (s *Struct) Shared() bool { return s.Host != s }

// Open returns the field of further members, nil where there is none.
func (s *Struct) Open() *Field {
	if n := len(s.Fields); n > 0 && s.Fields[n-1].Additional {
		return s.Fields[n-1]
	}
	return nil
}

// Field is a property in a struct.
type Field struct {
	Name       string // the identifier
	Property   *model.Property
	Type       Type
	Additional bool // it holds the further members of an open object
}

// Type is a field's type: a scalar, enum, struct or free JSON in lists and maps.
type Type struct {
	Wrap   string // l for list, m for map, outermost first
	Kind   model.Kind
	Any    bool
	Enum   *Enum
	Struct *Struct
}

// Enum is a named scalar type of an API package.
type Enum struct {
	Package *Package
	Owner   *KindVersion
	Name    string
	Base    model.Kind
	Values  []Value
}

// Value is one value of an enum. Text is its JSON.
type Value struct{ Name, Text string }

// Action is what becomes of a property in a step.
type Action uint8

// The actions, seen from the struct that is further from the hub.
const (
	// Keep hands the value over: as it is, or member by member.
	Keep Action = iota
	// Stow puts what only the far side has into the near side's bag, and takes
	// it from there on the way back.
	Stow
	// Fetch is the mirror of Stow: what only the near side has lies in the far
	// side's bag.
	Fetch
)

func (a Action) String() string { return [...]string{"keep", "stow", "fetch"}[a] }

// Move is the decision on one property in one step.
type Move struct {
	Action Action
	Far    *Field // nil for Fetch
	Near   *Field // nil for Stow
	Keys   []string
	// Via is the field whose storage type the bag holds, where it is not that of
	// Far itself: a fused step stows what the property has become on its way.
	Via *Field
	Why string
}

// Step is how a struct converts to another one nearer to the hub, and back.
type Step struct {
	Far, Near *Struct
	Moves     []*Move
}

// Between returns the step between a struct's storage type and that of a
// package nearer to the hub, nil if there is none.
func (s *Struct) Between(near *Struct) *Step {
	for _, t := range s.Steps {
		if t.Near == near {
			return t
		}
	}
	return nil
}
