package genruntime

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
)

// GetBagNote returns the property bag in an object's annotations, and nil if there is none.
func GetBagNote(m *metav1.ObjectMeta) *string {
	bag, ok := m.Annotations[runtime.BagAnnotation]
	if !ok {
		return nil
	}
	return &bag
}

// SetBagNote sets the property bag in an object's annotations. It replaces the map of
// annotations, and does not change the old one, which other objects may share. Nil removes the
// bag.
func SetBagNote(m *metav1.ObjectMeta, bag *string) {
	if bag == nil {
		DropBagNote(m)
		return
	}
	notes := make(map[string]string, len(m.Annotations)+1)
	maps.Copy(notes, m.Annotations)
	notes[runtime.BagAnnotation] = *bag
	m.Annotations = notes
}

// DropBagNote removes the property bag from an object's annotations. It does not change a map
// that other objects share. If there was no other annotation, the map becomes nil.
func DropBagNote(m *metav1.ObjectMeta) {
	if _, ok := m.Annotations[runtime.BagAnnotation]; !ok {
		return
	}
	if len(m.Annotations) == 1 {
		m.Annotations = nil
		return
	}
	notes := maps.Clone(m.Annotations)
	delete(notes, runtime.BagAnnotation)
	m.Annotations = notes
}
