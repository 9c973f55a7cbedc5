package genruntime

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
)

// ParseVersion returns the version with the given name. A name that is not in known is an error.
func ParseVersion[V ~string](name string, known ...V) (V, error) {
	names := make([]string, len(known))
	for i, v := range known {
		if names[i] = string(v); names[i] == name {
			return v, nil
		}
	}
	return "", fmt.Errorf("%q is not a version: there are %s", name, strings.Join(names, ", "))
}

// ThroughHub converts from to to, which are of two versions. Hub must be a blank hub.
func ThroughHub[H any](hub H, from interface{ ConvertTo(H) error }, to interface{ ConvertFrom(H) error }) error {
	if from == nil {
		return errors.New("there is no object to convert")
	}
	if err := from.ConvertTo(hub); err != nil {
		return err
	}
	return to.ConvertFrom(hub)
}

// UnmarshalVersioned reads an object into a blank object of the version that data names. Blank
// returns an error for a version that it does not know.
func UnmarshalVersioned[V ~string, A, O any](data []byte, blank func(V) (A, error), object func(A) O) (A, error) {
	var head metav1.TypeMeta
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &head); err != nil {
		return *new(A), err
	}
	gv, err := schema.ParseGroupVersion(head.APIVersion)
	if err != nil {
		return *new(A), err
	}
	a, err := blank(V(gv.Version))
	if err != nil {
		return a, err
	}
	return a, kjson.UnmarshalCaseSensitivePreserveInts(data, object(a))
}
