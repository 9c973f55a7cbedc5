// Package keep keeps, in an annotation of an object, what its version does not have.
package keep

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Annotation holds the whole object of the latest version.
const Annotation = "db.example.com/conversion-data"

// MarshalData keeps src in an annotation of dst.
func MarshalData(src any, dst metav1.Object) error {
	data, err := json.Marshal(src)
	if err != nil {
		return err
	}
	annotations := map[string]string{}
	for key, value := range dst.GetAnnotations() {
		annotations[key] = value
	}
	annotations[Annotation] = string(data)
	dst.SetAnnotations(annotations)
	return nil
}

// UnmarshalData reads what MarshalData has kept, if it has, and takes the annotation away.
func UnmarshalData(from metav1.Object, to any) (bool, error) {
	data, ok := from.GetAnnotations()[Annotation]
	if !ok {
		return false, nil
	}
	annotations := map[string]string{}
	for key, value := range from.GetAnnotations() {
		if key != Annotation {
			annotations[key] = value
		}
	}
	from.SetAnnotations(annotations)
	return true, json.Unmarshal([]byte(data), to)
}
