package plan

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/refine"
)

// Plan contains every decision of a run.
type Plan struct {
	Groups []*Group
	// Unused are the hand-written steps that no conversion calls.
	Unused []augmentation.Method
}

// Group is the plan of one API group.
type Group struct {
	Chain    *chain.Group
	Packages []*Package // in order of their labels
	Kinds    []*Kind    // those of the ledger first, then by resource type
	FreeJSON []FreeJSON // in order of sources
	Unmoved  []Unmoved  // declared changes that are not applied
}

// Kind is a resource: what is generated for it in every version.
type Kind struct {
	Group    *Group
	Resource *chain.Resource
	Name     string
	Versions []*KindVersion // as Resource.Versions
	// Short is a shorter name for the command line, empty where there is none.
	Short string
	// Verbatim means that the CRD repeats the source's CRD, since the source already is a
	// Kubernetes API.
	Verbatim bool
	// IsClusterScoped means that the kind is not namespaced.
	IsClusterScoped bool
	// HasCRD, HasTests and HasHelpers report whether each of these is generated for the kind. A
	// helper stores an object of any version.
	HasCRD, HasTests, HasHelpers bool
	// Listed are the versions of the CRD, in its order.
	Listed []Listed
	// members are the members that Strata adds to each root in all versions that do not lack
	// them.
	members [2][]model.Member
	// Expressions list which members of the hub's spec each version with API types cannot
	// represent, in the order of Versions.
	Expressions []Expression
	// Lists list the members of objects that versions lack.
	Lists Lists
}

// Hub returns the kind's version whose storage type is the hub.
func (k *Kind) Hub() *KindVersion { return k.Versions[k.Resource.Hub.Index] }

// KindVersion is a resource in one version.
type KindVersion struct {
	Kind         *Kind
	Version      *chain.Version
	Package      *Package
	Spec, Status *Struct
	// Origin is the file that declares the spec; empty if it is not known.
	Origin string
	// HasHelper means that the kind's helper, if it has one, accepts objects of the version.
	HasHelper bool
	// Deprecation is the source's deprecation text for the version; empty if the version is not
	// deprecated.
	Deprecation string
	// Hub means that the version's storage type is or has been the hub. Clusters may store
	// objects of it.
	Hub     bool
	Serving Serving
	// Subresource means that the version has a status subresource. Without one, the status's
	// property bag is stored in an annotation: an API server does not preserve the status if a
	// client omits it.
	Subresource bool
	// JSONPlan lists how objects convert to the hub as JSON. It is nil if a hand-written step
	// takes part, or if the version has no API types.
	JSONPlan *JSONPlan
	// Outline is, for a version without JSONPlan, what of its conversions JSON plans can state. It
	// shows where properties go, and no program converts by it.
	Outline *JSONPlan
	// PlanName is the name of JSONPlan in the storage package.
	PlanName string
	// HasIntegers means that generated API types have integers of other sizes than storage.
	HasIntegers bool
	// Narrow means that storage can have values that the API types cannot represent, because
	// other versions have larger integers.
	Narrow bool
	// Whole are the hand-written steps of the whole resource to the next version, and OwnWhole those
	// between its API type and its storage type.
	Whole, OwnWhole Hand
	// Derives means that only a conversion shows which values of the hub's spec the version
	// represents: steps between them derive values from other values, or convert further members.
	Derives bool
}

// Serving is how clusters serve an API version.
type Serving uint8

// The states of API versions.
const (
	// Unlisted versions have never been served: clusters do not know them.
	Unlisted Serving = iota
	// Unserved versions have been served and are no longer.
	Unserved
	// Outdated versions are served and deprecated. A project that begins today would not serve
	// them.
	Outdated
	// Current versions are served.
	Current
)

// Served reports whether clients can read and write the version.
func (s Serving) Served() bool { return s >= Outdated }

// Next returns the neighbour towards the hub; nil for the hub.
func (k *KindVersion) Next() *KindVersion {
	if k.Version.Next == nil {
		return nil
	}
	return k.Kind.Versions[k.Version.Next.Index]
}

// Package is an API version of a group. It is a package of API types and, in folders below it, a
// package of storage types and one of compat types.
type Package struct {
	Group   *Group
	Label   string
	Kinds   []*KindVersion
	Structs []*Struct
	Enums   []*Enum
	Steps   []*Step   // whose functions the storage package declares
	Clones  []*Struct // the types of the compat package
	// Own is the author's package that declares the API types; nil if they are generated.
	Own *augmentation.Package
	// Exports are the author's declarations that the package of API types exports too, sorted by
	// name.
	Exports []Export

	chosen refine.Names
}

// Export is a type, constant or variable of another package that this package exports under a
// name.
type Export struct {
	Keyword, Name, Doc string
	Package, Ident     string // the package that declares it, and its name there
	PackageName        string
}

// Pruned reports whether the package has no API types, because all its kinds are pruned in this
// version.
func (p *Package) Pruned() bool {
	return !slices.ContainsFunc(p.Kinds, func(kv *KindVersion) bool { return !kv.Version.Pruned })
}

// Role distinguishes the roots of a resource from nested structs.
type Role uint8

// The roles of structs.
const (
	Nested Role = iota
	Spec
	Status
)

// String returns the suffix of a root's type name.
func (r Role) String() string { return [...]string{"", "Spec", "Status"}[r] }

// Struct is an API type and its storage type, which have the same fields.
type Struct struct {
	Package *Package
	Owner   *KindVersion // the resource whose files declare the struct
	Role    Role
	Name    string
	Doc     string
	Fields  []*Field
	// Added are the members that Strata adds to a root.
	Added []model.Member
	// Union is the union that the object was merged from; nil if there was none.
	Union *model.Union
	// Facts are the source's statements about the object that are not about its members.
	Facts model.Facts

	// Host is the struct that declares the storage type: the struct itself, or one nearer to the
	// hub with an equal storage type.
	Host *Struct
	// Stored means that objects of a present or former hub contain values of the storage type.
	Stored bool
	// Compat means that the struct is in a compat package: the clone of a storage
	// type, without an API type.
	Compat bool
	// Mirror means that the struct is a status that has the fields of the spec.
	Mirror bool
	// Map means that the API has a map in place of the struct, because other versions name
	// members of the map. Only a storage type is generated.
	Map bool
	// Own are the hand-written steps between the API type and the storage type.
	Own Hand

	byName   map[string]*Field // an index of Fields; rebuilt if the lengths differ
	observed bool              // only the status has it
}

// Hand reports which directions of a conversion hand-written steps complete.
type Hand struct{ To, From bool }

// Shared reports whether another struct declares the storage type.
func (s *Struct) Shared() bool { return s.Host != s }

// Open returns the field of further members; nil if there is none.
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
	API        Type // the type in the API: it has maps where Type has structs with Map set
	Additional bool // it contains the further members of an open object
	// Replaces lists, as JSON, the bag keys to remove when a client writes one of the further
	// members. It is empty if there are none.
	Replaces string
}

// Schema returns the type of the field in the API.
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

// Stored returns the name of the field in the JSON of storage types.
func (f *Field) Stored() string { return chain.StoredName(f.Property.Name) }

// Type is a field's type: a scalar, enum, struct or free JSON in lists and maps.
type Type struct {
	Wrap   string // l for list, m for map, outermost first
	Kind   model.Kind
	Any    bool
	Enum   *Enum
	Struct *Struct
	// Integer is the Go type of integers in the API, such as uint8; empty if it is int64, and
	// always in storage.
	Integer string
}

// Enum is a named scalar type of an API package.
type Enum struct {
	Package *Package
	Owner   *KindVersion
	Name    string
	Base    model.Kind
	// Integer is the Go type of an enum of integers; empty if it is int64.
	Integer string
	Values  []Value
}

// Value is one value of an enum. Text is its JSON. Note is the advice for a deprecated value;
// empty for others.
type Value struct{ Name, Text, Note string }

// Action states how a step converts a property.
type Action uint8

// The actions, seen from the struct that is further from the hub.
const (
	// Keep hands the value over: as it is, or member by member.
	Keep Action = iota
	// Stow stores a property that only the far side has in the near side's bag, and restores it
	// from there on the way back.
	Stow
	// Fetch is the reverse of Stow: a property that only the near side has is stored in the far
	// side's bag.
	Fetch
)

func (a Action) String() string { return [...]string{"keep", "stow", "fetch"}[a] }

// Move is the decision on one property in one step.
type Move struct {
	Action Action
	Far    *Field // nil for Fetch
	Near   *Field // nil for Stow
	// Step converts the objects of a kept property; nil if both sides have the same type.
	Step *Step
	// Up are the entries of the far bag from which the near property is read. Down are those of
	// the near bag from which the far property is read. The first entry that exists is used.
	Up, Down []*Entry
	// Values are pairs of a far value and its name on the near side, for kept enums.
	Values []string
	Why    string
}

// Entry describes a value in a bag: its key, its type there, and the steps between the property
// and the bag, from far to near.
type Entry struct {
	Key string
	// Written means that the value is stored under this key if the key is not in use; else it is
	// stored under the first key.
	Written bool
	Type    Type
	Steps   []*Step
}

// Written returns the entry under which a value is stored: the marked one, or else the first.
func Written(entries []*Entry) *Entry {
	for _, e := range entries {
		if e.Written {
			return e
		}
	}
	return entries[0]
}

// Keys returns the distinct keys of a move's entries.
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

// Step converts stored objects of one type to those of another, nearer to the hub, and back. It
// is a step to a neighbour, a conversion between a storage type and a value in a bag, or fused
// over several steps.
type Step struct {
	Far, Near *Struct
	Home      *Package     // the package that declares its functions
	Owner     *KindVersion // the version whose file declares them
	Kind      StepKind
	Moves     []*Move
	// Parts are steps that run one after the other in place of Moves, if a hand-written step is
	// between them.
	Parts []*Step
	Hand  Hand
	// Whole are the hand-written steps of the resource, if the step converts its spec or status.
	Whole Hand
	// Derived are the properties that functions derive from others.
	Derived []*Derived
	Empties []*Empty
	// Further is nil if further members are handed over as one value.
	Further *Further
	// Custom are the properties for which the metadata requires a hand-written step.
	Custom  []string
	reached map[Direction]Reach
	// Variant distinguishes steps between the same types; 0 for the first.
	Variant int
}

// StepKind distinguishes steps.
type StepKind uint8

// The kinds of steps.
const (
	Neighbour StepKind = iota
	Compat
	Fused
)
