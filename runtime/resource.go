package runtime

import (
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ErrNotConvertible means that neither of two types converts to the other: they are not versions
// of one kind.
var ErrNotConvertible = errors.New("not convertible")

// ConvertibleSpec is the specification of a resource in one version. It converts alone, without its
// resource. Conversions reach every version of the same kind; for any other type they fail with
// [ErrNotConvertible].
type ConvertibleSpec interface {
	// ConvertSpecTo fills destination with what this spec says.
	ConvertSpecTo(destination ConvertibleSpec) error
	// ConvertSpecFrom fills this spec with what source says.
	ConvertSpecFrom(source ConvertibleSpec) error
}

// ConvertibleStatus is the status of a resource in one version. It converts alone, like
// [ConvertibleSpec].
type ConvertibleStatus interface {
	// ConvertStatusTo fills destination with what this status says.
	ConvertStatusTo(destination ConvertibleStatus) error
	// ConvertStatusFrom fills this status with what source says.
	ConvertStatusFrom(source ConvertibleStatus) error
}

// KubernetesResource is a resource whose spec and status can be taken apart.
type KubernetesResource interface {
	// GetSpec returns the spec, or nil when there is none. It is not a copy.
	GetSpec() ConvertibleSpec
	// GetStatus returns the status, or nil when there is none. It is not a copy.
	GetStatus() ConvertibleStatus
	// NewEmptyStatus returns a blank status of this resource's version. The resource keeps its own.
	NewEmptyStatus() ConvertibleStatus
	// SetStatus sets the status, converting it when it is of another version.
	SetStatus(status ConvertibleStatus) error
}

// MetaObject is a resource as an object of Kubernetes.
type MetaObject interface {
	k8sruntime.Object
	metav1.Object
	KubernetesResource
}

// Original tells in which version the user wrote a resource.
type Original interface {
	// OriginalGVK returns the group, kind and API version that the user wrote.
	OriginalGVK() *schema.GroupVersionKind
}

// SpecMaker makes specs of a resource's version.
type SpecMaker interface {
	// NewEmptySpec returns a blank spec of this resource's version. The resource keeps its own.
	NewEmptySpec() ConvertibleSpec
}

// Limited is a hub that tells what its original version cannot express.
type Limited interface {
	// Unexpressed returns the places in the spec that the external API is not sent; see Unexpressed
	// of runtime/genruntime.
	Unexpressed() []string
}

// External is a resource of an API version that names its type and version in the external API.
type External interface {
	// ExternalType returns the type, as in Crm/persons.
	ExternalType() string
	// ExternalVersion returns the version as the external API spells it, as in 2014-04-04-preview.
	ExternalVersion() string
}

// ExternalNamer is a resource of an API version with members at the root of its spec or status that
// have another name in the external API, because Strata uses that name.
type ExternalNamer interface {
	// ExternalNames returns the names in the external API, by those in spec and status.
	ExternalNames() map[string]string
}

// Secretive is a resource of an API version with secrets in its spec or status.
type Secretive interface {
	// SecretPaths returns the paths of the secrets: JSON names with dots, [] for the elements of
	// lists, * for those of maps.
	SecretPaths() []string
}

// Owner names the parent of a resource: by the name of its object, or by its identifier outside the
// cluster.
type Owner struct {
	// Name is the name of the owner's object, in the same namespace.
	// +optional
	Name *string `json:"name,omitzero"`
	// ExternalID is the identifier of an owner that the cluster does not hold.
	// +optional
	ExternalID *string `json:"armId,omitzero"`
}

// DeepCopyInto makes out a copy that shares no memory.
func (o *Owner) DeepCopyInto(out *Owner) {
	*out = Owner{Name: copyText(o.Name), ExternalID: copyText(o.ExternalID)}
}

// DeepCopy returns a copy that shares no memory.
func (o *Owner) DeepCopy() *Owner { return copyOf(o) }

// SecretRef says where the value of a secret property lies that a spec does not have.
type SecretRef struct {
	// Path leads to the property in the spec, by JSON names, as in properties.password.
	// +required
	Path *string `json:"path,omitzero"`
	// Name is the name of the Secret, in the same namespace.
	// +required
	Name *string `json:"name,omitzero"`
	// Key is that of the value in the Secret.
	// +required
	Key *string `json:"key,omitzero"`
}

// DeepCopyInto makes out a copy that shares no memory.
func (r *SecretRef) DeepCopyInto(out *SecretRef) {
	*out = SecretRef{Path: copyText(r.Path), Name: copyText(r.Name), Key: copyText(r.Key)}
}

// DeepCopy returns a copy that shares no memory.
func (r *SecretRef) DeepCopy() *SecretRef { return copyOf(r) }

// ConfigMapRef says where the value of a property lies that a spec does not have, and that is no
// secret.
type ConfigMapRef struct {
	// Path leads to the property in the spec, by JSON names, as in properties.principalId.
	// +required
	Path *string `json:"path,omitzero"`
	// Name is the name of the ConfigMap, in the same namespace.
	// +required
	Name *string `json:"name,omitzero"`
	// Key is that of the value in the ConfigMap.
	// +required
	Key *string `json:"key,omitzero"`
}

// DeepCopyInto makes out a copy that shares no memory.
func (r *ConfigMapRef) DeepCopyInto(out *ConfigMapRef) {
	*out = ConfigMapRef{Path: copyText(r.Path), Name: copyText(r.Name), Key: copyText(r.Key)}
}

// DeepCopy returns a copy that shares no memory.
func (r *ConfigMapRef) DeepCopy() *ConfigMapRef { return copyOf(r) }

// Outputs say where the operator puts values that the external API gives out.
type Outputs struct {
	// Secrets are keys of Secrets, which the operator makes.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +listMapKey=key
	Secrets []Output `json:"secrets,omitzero"`
	// ConfigMaps are keys of ConfigMaps, which the operator makes. No secret is put there.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +listMapKey=key
	ConfigMaps []Output `json:"configMaps,omitzero"`
}

// DeepCopyInto makes out a copy that shares no memory.
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
	// Key is that of the value in it.
	// +required
	Key *string `json:"key,omitzero"`
	// From is a path into the status, as in properties.hostName, or a call, as in listKeys().key1.
	// +required
	From *string `json:"from,omitzero"`
}

// DeepCopyInto makes out a copy that shares no memory.
func (o *Output) DeepCopyInto(out *Output) {
	*out = Output{Name: copyText(o.Name), Key: copyText(o.Key), From: copyText(o.From)}
}

// DeepCopy returns a copy that shares no memory.
func (o *Output) DeepCopy() *Output { return copyOf(o) }

// copyOf returns a copy that shares no memory, nil for nil.
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

// copyText returns a pointer to a copy of a text, nil for nil.
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

// AddToScheme registers types with a scheme, one package after the other, up to the first that
// fails.
func AddToScheme(s *k8sruntime.Scheme, add ...func(*k8sruntime.Scheme) error) error {
	for _, f := range add {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}
