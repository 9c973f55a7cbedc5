package model

import "slices"

// The members that Strata adds to the roots of specs and of statuses, by their names in JSON.
const (
	AzureName       = "azureName"
	Owner           = "owner"
	SecretRefs      = "secretRefs"
	ConfigMapRefs   = "configMapRefs"
	Outputs         = "outputs"
	OriginalVersion = "originalVersion"
	ExternalID      = "id"
	ExternalName    = "name"
	ExternalType    = "type"
	Conditions      = "conditions"
	PropertyBag     = "propertyBag"
)

// StoredBag is the member of every object in storage that has the values which its version cannot
// represent.
const StoredBag = "$propertyBag"

// Root is one of the two objects of a resource that Strata adds members to.
type Root uint8

// The roots.
const (
	SpecRoot Root = iota
	StatusRoot
)

// Shape is the type of a member that Strata adds. Each printer has its own spelling of a shape.
type Shape uint8

// The shapes. Text is a string that may be absent, Label one that is empty where it is absent. The
// others are what the members of these names have.
const (
	TextShape Shape = iota
	LabelShape
	OwnerShape
	SecretRefsShape
	ConfigMapRefsShape
	OutputsShape
	ConditionsShape
)

// Side is where a member stands: in API types, in storage types, or in both. Conversions copy what
// stands in both.
type Side uint8

// The sides.
const (
	BothSides Side = iota
	APISide
	StorageSide
)

// Clash is what happens where a source has a property of a member's name, in any letter case, at
// the same root.
type Clash uint8

// The clashes.
const (
	// Refused properties are errors: no kind can do without the member.
	Refused Clash = iota
	// KeptFromLedger properties are errors in new kinds. One that the ledger has stays, and the
	// kind has no such member.
	KeptFromLedger
	// Kept properties stay, and the kind has no such member.
	Kept
)

// Member is a member that Strata adds to a root. No source describes it. A kind that has it has it
// in all versions.
type Member struct {
	JSON, Name string // Name is that of the field in Go
	Root       Root
	Shape      Shape
	Side       Side
	Clash      Clash
	// Native means that kinds whose sources speak Kubernetes have the member too.
	Native bool
	Doc    string
}

// members are all that Strata adds, in the order of generated types.
var members = []Member{
	{JSON: AzureName, Name: "AzureName", Shape: TextShape, Doc: "The name of the resource in the external API; by default the name of the object."},
	{JSON: Owner, Name: "Owner", Shape: OwnerShape, Doc: "The parent of the resource."},
	{JSON: SecretRefs, Name: "SecretRefs", Shape: SecretRefsShape, Doc: "The Secrets that hold the values of secret properties."},
	{JSON: ConfigMapRefs, Name: "ConfigMapRefs", Shape: ConfigMapRefsShape, Clash: KeptFromLedger, Doc: "The ConfigMaps that hold values of properties which are not secret."},
	{JSON: Outputs, Name: "Outputs", Shape: OutputsShape, Clash: KeptFromLedger, Doc: "The Secrets and ConfigMaps to which the operator writes values of the external API."},
	{JSON: OriginalVersion, Name: "OriginalVersion", Shape: LabelShape, Side: StorageSide, Native: true},

	{JSON: ExternalID, Name: "Id", Root: StatusRoot, Shape: TextShape, Clash: Kept, Doc: "The identifier in the external API."},
	{JSON: ExternalName, Name: "Name", Root: StatusRoot, Shape: TextShape, Clash: Kept, Doc: "The name in the external API."},
	{JSON: ExternalType, Name: "Type", Root: StatusRoot, Shape: TextShape, Clash: Kept, Doc: "The type in the external API."},
	{JSON: Conditions, Name: "Conditions", Root: StatusRoot, Shape: ConditionsShape, Doc: "The observed state of the resource."},
	{
		JSON: PropertyBag, Name: "PropertyBag", Root: StatusRoot, Shape: TextShape, Side: APISide, Native: true,
		Doc: "Values that this version cannot represent, stored for the versions that can. Not to be edited.",
	},
}

// Members lists what Strata adds to a root of the resource.
func (r *Resource) Members(root Root) []Member {
	return slices.DeleteFunc(slices.Clone(members), func(m Member) bool { return m.Root != root || !r.has(m) })
}

// has reports whether kinds of the resource have a member.
func (r *Resource) has(m Member) bool {
	switch {
	case r.IsNative() && !m.Native, m.JSON == SecretRefs && !r.HasSecrets():
		return false
	case m.Clash == Refused:
		return true
	case m.Root == StatusRoot:
		return !r.StatusHas(m.JSON)
	}
	return !r.SpecHas(m.JSON)
}

// Reserved lists the names that no property at a root of the resource may have. Known is what the
// ledger has of the resource, nil for nothing. A spec leaves room for the members of a status that
// mirrors it.
func (r *Resource) Reserved(root Root, known *Resource) (names []string) {
	mirrored := root == SpecRoot && !r.IsNative()
	for _, m := range members {
		isIn := m.Root == root || mirrored
		isRefused := m.Clash == Refused || m.Clash == KeptFromLedger && (known == nil || !known.SpecHas(m.JSON))
		if isIn && isRefused && (m.Native || !r.IsNative()) {
			names = append(names, m.JSON)
		}
	}
	return names
}
