package runtime

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ErrNotConvertible means that two types do not convert to each other in either direction: they
// are not versions of one kind.
var ErrNotConvertible = errors.New("not convertible")

// ConvertibleSpec is the specification of a resource in one version. It converts without its
// resource, to every version of the same kind. For any other type the conversion fails with
// [ErrNotConvertible].
type ConvertibleSpec interface {
	// ConvertSpecTo converts this spec to destination.
	ConvertSpecTo(destination ConvertibleSpec) error
	// ConvertSpecFrom converts source to this spec.
	ConvertSpecFrom(source ConvertibleSpec) error
}

// ConvertibleStatus is the status of a resource in one version. It converts without its resource,
// like [ConvertibleSpec].
type ConvertibleStatus interface {
	// ConvertStatusTo converts this status to destination.
	ConvertStatusTo(destination ConvertibleStatus) error
	// ConvertStatusFrom converts source to this status.
	ConvertStatusFrom(source ConvertibleStatus) error
}

// KubernetesResource gives access to the spec and the status of a resource.
type KubernetesResource interface {
	// GetSpec returns the spec, which is not a copy, or nil if there is none.
	GetSpec() ConvertibleSpec
	// GetStatus returns the status, which is not a copy, or nil if there is none.
	GetStatus() ConvertibleStatus
	// NewEmptyStatus returns a blank status of this resource's version. It does not change the
	// resource.
	NewEmptyStatus() ConvertibleStatus
	// SetStatus sets the status. It converts a status of another version.
	SetStatus(status ConvertibleStatus) error
}

// MetaObject is a resource that is also a Kubernetes object.
type MetaObject interface {
	k8sruntime.Object
	metav1.Object
	KubernetesResource
}

// Original reports the version in which the user wrote a resource.
type Original interface {
	// OriginalGVK returns the group, kind and API version that the user wrote.
	OriginalGVK() *schema.GroupVersionKind
}

// SpecMaker makes specs of a resource's version.
type SpecMaker interface {
	// NewEmptySpec returns a blank spec of this resource's version. It does not change the
	// resource.
	NewEmptySpec() ConvertibleSpec
}

// Limited is a hub that reports which values its original version cannot represent.
type Limited interface {
	// Unexpressed returns the paths in the spec that the operator does not send to the external
	// API; see Unexpressed of runtime/genruntime.
	Unexpressed() []string
}

// External is a resource of an API version that reports its type and version in the external API.
type External interface {
	// ExternalType returns the type, as in Crm/persons.
	ExternalType() string
	// ExternalVersion returns the version as the external API spells it, as in 2014-04-04-preview.
	ExternalVersion() string
}

// ExternalNamer is a resource of an API version. Some members at the root of its spec or status
// have another name in the external API. Strata renames a member if it uses the name itself.
type ExternalNamer interface {
	// ExternalNames maps the names of such members in spec and status to their names in the
	// external API.
	ExternalNames() map[string]string
}

// Secretive is a resource of an API version with secrets in its spec or status.
type Secretive interface {
	// SecretPaths returns the paths of the secrets: JSON names with dots, [] for the elements of
	// lists, * for those of maps.
	SecretPaths() []string
}

// Owner names the parent of a resource: the name of its object, or its identifier in the external
// API.
type Owner struct {
	// Name is the name of the owner's object, in the same namespace.
	// +optional
	Name *string `json:"name,omitzero"`
	// ExternalID is the identifier of an owner for which the cluster has no object.
	// +optional
	ExternalID *string `json:"armId,omitzero"`
}

// DeepCopyInto sets out to a copy that shares no memory.
func (o *Owner) DeepCopyInto(out *Owner) {
	*out = Owner{Name: copyText(o.Name), ExternalID: copyText(o.ExternalID)}
}

// DeepCopy returns a copy that shares no memory.
func (o *Owner) DeepCopy() *Owner { return copyOf(o) }

// SecretRef refers to the Secret that has the value of a secret property, which is absent from
// the spec.
type SecretRef struct {
	// Path is the path of the property in the spec, by JSON names, as in properties.password.
	// +required
	Path *string `json:"path,omitzero"`
	// Name is the name of the Secret, in the same namespace.
	// +required
	Name *string `json:"name,omitzero"`
	// Key is the key of the value in the Secret.
	// +required
	Key *string `json:"key,omitzero"`
}

// DeepCopyInto sets out to a copy that shares no memory.
func (r *SecretRef) DeepCopyInto(out *SecretRef) {
	*out = SecretRef{Path: copyText(r.Path), Name: copyText(r.Name), Key: copyText(r.Key)}
}

// DeepCopy returns a copy that shares no memory.
func (r *SecretRef) DeepCopy() *SecretRef { return copyOf(r) }

// ConfigMapRef refers to the ConfigMap that has the value of a property that is not secret and is
// absent from the spec.
type ConfigMapRef struct {
	// Path is the path of the property in the spec, by JSON names, as in properties.principalId.
	// +required
	Path *string `json:"path,omitzero"`
	// Name is the name of the ConfigMap, in the same namespace.
	// +required
	Name *string `json:"name,omitzero"`
	// Key is the key of the value in the ConfigMap.
	// +required
	Key *string `json:"key,omitzero"`
}

// DeepCopyInto sets out to a copy that shares no memory.
func (r *ConfigMapRef) DeepCopyInto(out *ConfigMapRef) {
	*out = ConfigMapRef{Path: copyText(r.Path), Name: copyText(r.Name), Key: copyText(r.Key)}
}

// DeepCopy returns a copy that shares no memory.
func (r *ConfigMapRef) DeepCopy() *ConfigMapRef { return copyOf(r) }

// Outputs say where the operator puts values that the external API gives out.
type Outputs struct {
	// Secrets are keys of Secrets, which the operator creates.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +listMapKey=key
	Secrets []Output `json:"secrets,omitzero"`
	// ConfigMaps are keys of ConfigMaps, which the operator creates. It never writes a secret
	// there.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +listMapKey=key
	ConfigMaps []Output `json:"configMaps,omitzero"`
}

// DeepCopyInto sets out to a copy that shares no memory.
func (o *Outputs) DeepCopyInto(out *Outputs) {
	*out = Outputs{Secrets: copyOutputs(o.Secrets), ConfigMaps: copyOutputs(o.ConfigMaps)}
}

// DeepCopy returns a copy that shares no memory.
func (o *Outputs) DeepCopy() *Outputs { return copyOf(o) }

// Output is a key of a Secret or a ConfigMap, and where its value comes from.
type Output struct {
	// Name is the name of the Secret or the ConfigMap, in the same namespace.
	// +required
	Name *string `json:"name,omitzero"`
	// Key is the key of the value in it.
	// +required
	Key *string `json:"key,omitzero"`
	// From is a path into the status, as in properties.hostName, or a call, as in listKeys().key1.
	// +required
	From *string `json:"from,omitzero"`
}

// DeepCopyInto sets out to a copy that shares no memory.
func (o *Output) DeepCopyInto(out *Output) {
	*out = Output{Name: copyText(o.Name), Key: copyText(o.Key), From: copyText(o.From)}
}

// DeepCopy returns a copy that shares no memory.
func (o *Output) DeepCopy() *Output { return copyOf(o) }

// copyOf returns a copy that shares no memory, and nil for nil.
func copyOf[T any, P interface {
	*T
	DeepCopyInto(out *T)
}](in P) P {
	if in == nil {
		return nil
	}
	out := P(new(T))
	in.DeepCopyInto((*T)(out))
	return out
}

// copyText returns a pointer to a copy of a string, and nil for nil.
func copyText(in *string) *string {
	if in == nil {
		return nil
	}
	out := *in
	return &out
}

// copyOutputs returns a copy that shares no memory. Nil stays nil, and empty stays empty.
func copyOutputs(in []Output) []Output {
	out := slices.Clone(in)
	for i := range in {
		in[i].DeepCopyInto(&out[i])
	}
	return out
}

// AddToScheme calls the given functions with a scheme, in order, until one fails. It returns that
// error.
func AddToScheme(s *k8sruntime.Scheme, add ...func(*k8sruntime.Scheme) error) error {
	for _, f := range add {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}
