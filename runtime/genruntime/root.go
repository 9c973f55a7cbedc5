package genruntime

import (
	"fmt"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/runtime"
)

// As returns a hub as the type that generated code knows it by. The error names both types.
func As[T any](hub any) (T, error) {
	t, ok := hub.(T)
	if !ok {
		return t, fmt.Errorf("convert %T: the hub is %T: %w", hub, t, runtime.ErrNotConvertible)
	}
	return t, nil
}

// SpecOf returns a spec as an interface, which is nil where the spec is.
func SpecOf[T any, P specPointer[T]](spec P) runtime.ConvertibleSpec {
	if spec == nil {
		return nil
	}
	return spec
}

// StatusOf returns a status as an interface, which is nil where the status is.
func StatusOf[T any, P statusPointer[T]](status P) runtime.ConvertibleStatus {
	if status == nil {
		return nil
	}
	return status
}

// SetStatus makes dst the given status: itself where it is of dst's type, converted where it is of
// another version, and nil for nil. On an error dst stays as it was.
func SetStatus[T any, P statusPointer[T]](dst *P, status runtime.ConvertibleStatus) error {
	if status == nil {
		*dst = nil
		return nil
	}
	if same, ok := status.(P); ok {
		*dst = same
		return nil
	}
	converted := P(new(T))
	if err := converted.ConvertStatusFrom(status); err != nil {
		return fmt.Errorf("set status: %w", err)
	}
	*dst = converted
	return nil
}

// CopyRoot returns a deep copy of a resource or a list, nil for nil.
func CopyRoot[T any, P interface {
	*T
	k8sruntime.Object
	DeepCopyInto(*T)
}](in P) k8sruntime.Object {
	if in == nil {
		return nil
	}
	out := P(new(T))
	in.DeepCopyInto((*T)(out))
	return out
}
