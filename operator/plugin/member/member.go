// Package member names the members that Strata adds to specs and statuses, and that no external API
// knows. The operator, and providers that write objects, take the names from here. A test of
// operator/provider compares them with generated types.
package member

// Members at the root of specs.
const (
	AzureName       = "azureName"
	Owner           = "owner"
	SecretRefs      = "secretRefs"
	ConfigMapRefs   = "configMapRefs"
	Outputs         = "outputs"
	OriginalVersion = "originalVersion" // of storage types only
)

// Members of an owner: the name of the object that owns this one, or the identifier of a resource
// of the external API.
const (
	OwnerName = "name"
	OwnerID   = "armId"
)

// Members at the root of statuses. An external API may have others of the names id, name and type,
// which are its own.
const (
	Conditions  = "conditions"
	PropertyBag = "propertyBag" // of API types only
)
