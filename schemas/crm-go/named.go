package crm

// ConfigMapRef says where the value of a property lies.
type ConfigMapRef struct {
	// The property that the value is for, by its path in the spec, as in properties.principalId.
	Path string `json:"path"`

	// The name of the ConfigMap, in the same namespace.
	Name string `json:"name"`

	// The key of the value in the ConfigMap.
	Key string `json:"key"`
}

// Outputs say where values are put that the external API gives out.
type Outputs struct {
	// Keys of Secrets, which the operator makes.
	// +listType=map
	// +listMapKey=key
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Secrets []Output `json:"secrets,omitzero"`

	// Keys of ConfigMaps, which the operator makes. No secret is put there.
	// +listType=map
	// +listMapKey=key
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	// +optional
	ConfigMaps []Output `json:"configMaps,omitzero"`
}

// Output is a key of a Secret or a ConfigMap, and where its value comes from.
type Output struct {
	// The name of the Secret or the ConfigMap, in the same namespace.
	Name string `json:"name"`

	// The key of the value in it.
	Key string `json:"key"`

	// The value, by its path in the status, as in properties.hostName.
	From string `json:"from"`
}
