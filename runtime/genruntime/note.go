package genruntime

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
)

// GetBagNote returns the bag in an object's annotations; nil where there is none.
func GetBagNote(m *metav1.ObjectMeta) *string {
	bag, ok := m.Annotations[runtime.BagAnnotation]
	if !ok {
		return nil
	}
	return &bag
}

// SetBagNote sets the bag in an object's annotations, which it does not share with others
// afterwards.
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

// DropBagNote takes the bag out of an object's annotations, without a change to others that share
// them. An object that had no other annotation has none afterwards.
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
