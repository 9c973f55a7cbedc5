package crm

// Owner is the parent of a resource: another one in the cluster, or one outside.
type Owner struct {
	// The name of the owner's object, in the same namespace.
	// +optional
	Name *string `json:"name,omitzero"`

	// The identifier of an owner that has no object in the cluster.
	// +optional
	ArmID *string `json:"armId,omitzero"`
}
