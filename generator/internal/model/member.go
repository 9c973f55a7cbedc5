package model

import "slices"

// The JSON names of the members that Strata adds to the roots of specs and statuses.
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

// StoredBag is the member of stored objects that contains the values which their version cannot
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

// The shapes. TextShape is an optional string. LabelShape is a string that is empty if absent.
// The others are the types of the members with their names.
const (
	TextShape Shape = iota
	LabelShape
	OwnerShape
	SecretRefsShape
	ConfigMapRefsShape
	OutputsShape
	ConditionsShape
)

// Side states which types have a member: API types, storage types, or both. Conversions copy
// members that both have.
type Side uint8

// The sides.
const (
	BothSides Side = iota
	APISide
	StorageSide
)

// Clash states what happens if a source has a property with a member's name, in any letter case,
// at the same root.
type Clash uint8

// The values of Clash.
const (
	// Refused properties are errors: every kind requires the member.
	Refused Clash = iota
	// KeptFromLedger properties are errors in new kinds. If the ledger has the property, it is
	// kept, and the kind lacks the member.
	KeptFromLedger
	// Kept properties are kept, and the kind lacks the member.
	Kept
)

// Member is a member that Strata adds to a root and that no source describes. If a kind has the
// member, all its versions have it.
type Member struct {
	JSON, Name string // Name is the name of the Go field
	Root       Root
	Shape      Shape
	Side       Side
	Clash      Clash
	// Native means that kinds of native resources have the member too.
	Native bool
	Doc    string
}

// members are all members that Strata adds, in the order of generated types.
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

// Members lists the members that Strata adds to a root of the resource.
func (r *Resource) Members(root Root) []Member {
	return slices.DeleteFunc(slices.Clone(members), func(m Member) bool { return m.Root != root || !r.has(m) })
}

// has reports whether kinds of the resource have the member.
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

// Reserved lists the names that no property at a root of the resource may have. known is the
// resource in the ledger; nil if the ledger does not have it. For a spec, the names of the status
// are reserved too, because a status may mirror the spec.
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
