package plan

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// Plan is every decision of a run.
type Plan struct {
	Groups []*Group
	// Unused are the hand-written steps that no conversion calls.
	Unused []augmentation.Method
}

// Group is the plan of one API group.
type Group struct {
	Chain    *chain.Group
	Packages []*Package // in order of their labels
	Kinds    []*Kind    // in order of resource types
	FreeJSON []FreeJSON // in order of sources
}

// Kind is a resource: what is generated for it in every version.
type Kind struct {
	Group    *Group
	Resource *chain.Resource
	Name     string
	Versions []*KindVersion // as Resource.Versions
	// Short is a shorter name for the command line, empty where there is none.
	Short string
	// Verbatim means that the CRD says what the kind's source says: it speaks Kubernetes already.
	Verbatim bool
	// IsClusterScoped means that objects of the kind are in no namespace.
	IsClusterScoped bool
	// HasCRD, HasTests and HasHelpers tell what is written for the kind. Helpers hold an object of
	// any version.
	HasCRD, HasTests, HasHelpers bool
	// Listed are the versions of the CRD, in its order.
	Listed []Listed
	// members are what Strata adds to each root, but for what single versions lack.
	members [2][]model.Member
	// Expressions tell what of the hub's spec each version with API types cannot
	// express, in the order of Versions.
	Expressions []Expression
	// Lists are what versions lack of objects.
	Lists Lists
}

// Hub is the kind's version whose storage type is the hub.
func (k *Kind) Hub() *KindVersion { return k.Versions[k.Resource.Hub.Index] }

// KindVersion is a resource in one version.
type KindVersion struct {
	Kind         *Kind
	Version      *chain.Version
	Package      *Package
	Spec, Status *Struct
	// Origin is the file that declares the spec, empty where it is not known.
	Origin string
	// HasHelper means that the kind's helper, if it has one, holds objects of the version.
	HasHelper bool
	// Deprecation is what the source says to those who should not use the version any more; empty
	// where they may.
	Deprecation string
	// Hub means that the version's storage type is or has been the hub: clusters
	// may hold objects of it.
	Hub     bool
	Serving Serving
	// Subresource means that the version has a status subresource. Without one, what
	// the version cannot show lies in an annotation: an API server does not keep the
	// status for those who do not write it.
	Subresource bool
	// JSONPlan lists how the JSON of objects becomes the hub's. There is none where a
	// hand-written step is on the way, or without API types.
	JSONPlan *JSONPlan
	// PlanName is what that is called in the storage package.
	PlanName string
	// Derives means that steps between the version's spec and the hub's derive values from others.
	Derives bool
}

// Serving is what a cluster does with an API version.
type Serving uint8

// The states of API versions.
const (
	// Unlisted versions have never been served: clusters do not know them.
	Unlisted Serving = iota
	// Unserved versions have been served and are no longer.
	Unserved
	// Outdated versions are served and deprecated: a run that began today would not
	// serve them.
	Outdated
	// Current versions are served.
	Current
)

// Served reports whether clients can read and write the version.
func (s Serving) Served() bool { return s >= Outdated }

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
	Steps   []*Step   // whose functions stand among the storage types
	Clones  []*Struct // the types of the compat package
	// Own is the package of the author that has the API types, nil where they are
	// generated.
	Own *augmentation.Package
	// Exports are declarations of the author that stand among the API types too, by their names.
	Exports []Export
}

// Export is a type, constant or variable of another package, under a name in this one.
type Export struct {
	Keyword, Name, Doc string
	Package, Ident     string // where it is declared, and what it is called there
	PackageName        string
}

// Pruned reports whether the package has no API types. All kinds of a version are
// pruned together.
func (p *Package) Pruned() bool {
	return !slices.ContainsFunc(p.Kinds, func(kv *KindVersion) bool { return !kv.Version.Pruned })
}

// Role tells the roots of a resource from what is nested in them.
type Role uint8

// The roles of structs.
const (
	Nested Role = iota
	Spec
	Status
)

// String is what the name of a root's type ends in.
func (r Role) String() string { return [...]string{"", "Spec", "Status"}[r] }

// Struct is an API type and its storage type, which have the same fields.
type Struct struct {
	Package *Package
	Owner   *KindVersion // the resource whose files declare it
	Role    Role
	Name    string
	Doc     string
	Fields  []*Field
	// Added are the members that Strata adds to a root.
	Added []model.Member
	// Union is what the object was merged from, nil if it was not.
	Union *model.Union
	// Facts are what the source states about the object beyond its members.
	Facts model.Facts

	// Host is the struct that declares the storage type: the struct itself, or
	// one nearer to the hub whose storage type is equal in every respect.
	Host *Struct
	// Stored means that objects of a hub, present or former, hold values of the
	// storage type.
	Stored bool
	// Compat means that the struct is in a compat package: the clone of a storage
	// type, without an API type.
	Compat bool
	// Mirror means that the struct is a status that has the fields of the spec.
	Mirror bool
	// Map means that the API has a map in place of the struct, which is a storage type only:
	// other versions name members of it.
	Map bool
	// Own are the hand-written steps between the API type and the storage type.
	Own Hand

	byName   map[string]*Field // as long as Fields, or to be made
	observed bool              // only the status has it
}

// Hand reports which hand-written steps complete a conversion.
type Hand struct{ To, From bool }

// Shared reports whether the storage type is declared elsewhere.
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
	API        Type // in the API type: it has maps where Type has objects of [Struct.Map]
	Additional bool // it holds the further members of an open object
	// Replaces spells what goes from bags when a client writes one of the further members; empty
	// for nothing.
	Replaces string
}

// Schema is the type of the field in the API.
func (f *Field) Schema() model.Type { return schemaOf(f.Property.Type) }

func schemaOf(t model.Type) model.Type {
	switch t := t.(type) {
	case *model.List:
		out := *t
		out.Elem = schemaOf(t.Elem)
		return &out
	case *model.Map:
		out := *t
		out.Elem = schemaOf(t.Elem)
		return &out
	case *model.Ref:
		if t.Def.Map != nil {
			return t.Def.Map
		}
	}
	return t
}

// Stored is the name of the field in the JSON of storage types.
func (f *Field) Stored() string { return chain.StoredName(f.Property.Name) }

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

// Value is one value of an enum. Text is its JSON. Note is what to do instead of using it; empty if
// it is not deprecated.
type Value struct{ Name, Text, Note string }

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
	// Step converts the objects of a kept property; nil where both sides have
	// the same type.
	Step *Step
	// Up are the entries of the far bag that the near property is taken from, Down
	// those of the near bag that the far property is taken from: the first that is
	// there.
	Up, Down []*Entry
	// Values are pairs of a far value and what it is called on the near side, of enums that are
	// kept.
	Values []string
	Why    string
}

// Entry is how a value lies in a bag: its key, its type there, and the steps from
// the far side to the near one that are between the property and the bag.
type Entry struct {
	Key string
	// Written means that a bag is given the value under this key, if it is free;
	// else under the first.
	Written bool
	Type    Type
	Steps   []*Step
}

// Written is the entry that a bag is given.
func Written(entries []*Entry) *Entry {
	for _, e := range entries {
		if e.Written {
			return e
		}
	}
	return entries[0]
}

// Keys are the keys of a move's entries.
func (m *Move) Keys() []string {
	var out []string
	for _, entries := range [][]*Entry{m.Up, m.Down} {
		for _, e := range entries {
			if !slices.Contains(out, e.Key) {
				out = append(out, e.Key)
			}
		}
	}
	return out
}

// Step is how stored objects of one type become those of another, nearer to the
// hub, and back: a step to a neighbour, a conversion between a storage type and
// what a bag holds, or one that is fused over several steps.
type Step struct {
	Far, Near *Struct
	Home      *Package     // where its functions stand
	Owner     *KindVersion // whose file they stand in
	Kind      StepKind
	Moves     []*Move
	// Parts are made one after the other, in place of moves, where a hand-written
	// step is on the way.
	Parts []*Step
	Hand  Hand
	// Derived are the properties that functions make of others.
	Derived []*Derived
	Empties []*Empty
	// Further is nil where further members go over as one value.
	Further *Further
	// Custom are the properties whose hand-written step metadata requires.
	Custom  []string
	reached map[Direction]Reach
	// Variant tells steps between the same types apart; 0 for the first.
	Variant int
}

// StepKind tells steps apart.
type StepKind uint8

// The kinds of steps.
const (
	Neighbour StepKind = iota
	Compat
	Fused
)
