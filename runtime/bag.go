package runtime

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PropertyBag holds, by key, the values that another version has and the type at hand cannot
// express. Its values are plain JSON.
type PropertyBag map[string]JSON

// Clone returns a bag of its own with the same, shared values; of an empty bag, nil. Conversions
// clone the bag of their source before they change it.
func (b PropertyBag) Clone() PropertyBag {
	if len(b) == 0 {
		return nil
	}
	return maps.Clone(b)
}

// DeepCopy returns a copy that shares no memory. Nil stays nil, and empty stays empty.
func (b PropertyBag) DeepCopy() PropertyBag {
	out := maps.Clone(b)
	for key, value := range out {
		out[key] = value.DeepCopy()
	}
	return out
}

// DeepCopyInto makes out a copy that shares no memory.
func (b PropertyBag) DeepCopyInto(out *PropertyBag) { *out = b.DeepCopy() }

// VersionedStatus is what the status of an API type that people write embeds, so that the status
// can carry what its version cannot show:
//
//	type WidgetStatus struct {
//		runtime.VersionedStatus `json:",inline"`
//		...
//	}
type VersionedStatus struct {
	// Values that this version cannot represent, stored for the versions that can. Not to be edited.
	// +optional
	PropertyBag *string `json:"propertyBag,omitempty"`
}

// Bag is where the runtime keeps what a version cannot show.
func (s *VersionedStatus) Bag() **string { return &s.PropertyBag }

// DeepCopyInto makes out a copy that shares no memory.
func (s *VersionedStatus) DeepCopyInto(out *VersionedStatus) {
	*out = VersionedStatus{PropertyBag: copyText(s.PropertyBag)}
}

// DeepCopy returns a copy that shares no memory.
func (s *VersionedStatus) DeepCopy() *VersionedStatus { return copyOf(s) }

// Hider is a resource of an API version, which keeps in its status what that version cannot show.
// The pointers of all generated API roots are Hiders. OriginalGVK must be the same for all objects
// of a type: the group, version and kind of the type itself.
type Hider interface {
	metav1.Object
	Original
	// StatusBag returns status.propertyBag; nil where there is no status.
	StatusBag() *string
	// SetStatusBag sets status.propertyBag. It makes the status where there is none and bag is not
	// nil.
	SetStatusBag(bag *string)
}

// BagAnnotation stores what a version cannot represent where the version has no status subresource.
// It is weaker than status.propertyBag: users who may write the object can edit or drop it, and
// above 256 KiB the version cannot be read.
const BagAnnotation = "strata.dev/property-bag"
