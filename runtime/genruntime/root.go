package genruntime

import (
	"fmt"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/runtime"
)

// As returns a hub as the type T that generated code requires. For another type the error names
// both types, and wraps [runtime.ErrNotConvertible].
func As[T any](hub any) (T, error) {
	t, ok := hub.(T)
	if !ok {
		return t, fmt.Errorf("convert %T: the hub is %T: %w", hub, t, runtime.ErrNotConvertible)
	}
	return t, nil
}

// SpecOf returns a spec as an interface, which is nil if the pointer is.
func SpecOf(spec runtime.ConvertibleSpec) runtime.ConvertibleSpec {
	if isNil(spec) {
		return nil
	}
	return spec
}

// StatusOf returns a status as an interface, which is nil if the pointer is.
func StatusOf(status runtime.ConvertibleStatus) runtime.ConvertibleStatus {
	if isNil(status) {
		return nil
	}
	return status
}

// ObjectOf returns a resource or a list as an interface, which is nil if the pointer is.
func ObjectOf(object k8sruntime.Object) k8sruntime.Object {
	if isNil(object) {
		return nil
	}
	return object
}

// SetStatus sets dst to a status. It converts a status of another version; dst then does not
// share its pointer. Nil sets nil. On an error dst does not change.
func SetStatus[P runtime.ConvertibleStatus](dst *P, status runtime.ConvertibleStatus) error {
	if status == nil {
		*dst = *new(P)
		return nil
	}
	if same, ok := status.(P); ok {
		*dst = same
		return nil
	}
	converted := blank[P]()
	if err := converted.ConvertStatusFrom(status); err != nil {
		return fmt.Errorf("set status: %w", err)
	}
	*dst = converted
	return nil
}

// CopyRoot sets out to a deep copy of a resource or a list, and returns out. It returns nil for
// nil.
func CopyRoot[P interface{ DeepCopyInto(out P) }](in, out P) P {
	if isNil(in) {
		return in
	}
	in.DeepCopyInto(out)
	return out
}
