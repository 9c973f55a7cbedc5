package genruntime

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
)

// GetBagAnnotation returns the property bag in an object's annotations, and nil if there is none.
func GetBagAnnotation(m *metav1.ObjectMeta) *string {
	bag, ok := m.Annotations[runtime.BagAnnotation]
	if !ok {
		return nil
	}
	return &bag
}

// SetBagAnnotation sets the property bag in an object's annotations. It replaces the map of
// annotations, and does not change the old one, which other objects may share. Nil removes the
// bag.
func SetBagAnnotation(m *metav1.ObjectMeta, bag *string) {
	if bag == nil {
		DropBagAnnotation(m)
		return
	}
	annotations := make(map[string]string, len(m.Annotations)+1)
	maps.Copy(annotations, m.Annotations)
	annotations[runtime.BagAnnotation] = *bag
	m.Annotations = annotations
}

// DropBagAnnotation removes the property bag from an object's annotations. It does not change a map
// that other objects share. If there was no other annotation, the map becomes nil.
func DropBagAnnotation(m *metav1.ObjectMeta) {
	if _, ok := m.Annotations[runtime.BagAnnotation]; !ok {
		return
	}
	if len(m.Annotations) == 1 {
		m.Annotations = nil
		return
	}
	annotations := maps.Clone(m.Annotations)
	delete(annotations, runtime.BagAnnotation)
	m.Annotations = annotations
}
