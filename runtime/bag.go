package runtime

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PropertyBag stores, by key, values of other versions that the object's own type cannot
// represent. Its values are plain JSON.
type PropertyBag map[string]JSON

// Clone returns a new bag that shares the values of b. It returns nil for an empty bag.
// Conversions clone the bag of their source before they change it.
func (b PropertyBag) Clone() PropertyBag {
	if len(b) == 0 {
		return nil
	}
	return maps.Clone(b)
}

// DeepCopy returns a copy that shares no memory. Nil stays nil, and empty stays empty.
func (b PropertyBag) DeepCopy() PropertyBag {
	if b == nil {
		return nil
	}
	out := make(PropertyBag, len(b))
	for key, value := range b {
		out[key] = value.DeepCopy()
	}
	return out
}

// DeepCopyInto sets out to a copy that shares no memory.
func (b PropertyBag) DeepCopyInto(out *PropertyBag) { *out = b.DeepCopy() }

// VersionedStatus is embedded in the status of a hand-written API type. It lets the status store
// values that its version cannot represent:
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

// Bag returns the address of the field in which the runtime stores hidden values.
func (s *VersionedStatus) Bag() **string { return &s.PropertyBag }

// DeepCopyInto sets out to a copy that shares no memory.
func (s *VersionedStatus) DeepCopyInto(out *VersionedStatus) {
	*out = VersionedStatus{PropertyBag: copyText(s.PropertyBag)}
}

// DeepCopy returns a copy that shares no memory.
func (s *VersionedStatus) DeepCopy() *VersionedStatus { return copyOf(s) }

// Hider is a resource of an API version that stores hidden values in its status. The pointers of
// all generated API roots are Hiders. OriginalGVK must return the same value for all objects of a
// type: the group, version and kind of the type itself.
type Hider interface {
	metav1.Object
	Original
	// StatusBag returns status.propertyBag, or nil if the object has no status or no bag.
	StatusBag() *string
	// SetStatusBag sets status.propertyBag. It creates the status if there is none and bag is not
	// nil.
	SetStatusBag(bag *string)
}

// BagAnnotation is the annotation that stores hidden values where a version has no status
// subresource. It is weaker than status.propertyBag: users who may write the object can edit or
// remove it. If it would exceed 256 KiB, the object cannot be read in that version.
const BagAnnotation = "strata.dev/property-bag"
