package v1beta1

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/conversion"

	menuv1 "example.com/kitchen/api/v1"
)

// ConvertTo converts src to the hub version, v1.
func (src *Recipe) ConvertTo(to conversion.Hub) error {
	dst, ok := to.(*menuv1.Recipe)
	if !ok {
		return unexpected(to)
	}
	dst.ObjectMeta = src.ObjectMeta
	dst.Spec.Servings = src.Spec.Servings
	dst.Status.Phase = src.Status.Phase
	return nil
}

// ConvertFrom converts the hub version, v1, to dst.
func (dst *Recipe) ConvertFrom(from conversion.Hub) error {
	src, ok := from.(*menuv1.Recipe)
	if !ok {
		return unexpected(from)
	}
	dst.ObjectMeta = src.ObjectMeta
	dst.Spec.Servings = src.Spec.Servings
	dst.Status.Phase = src.Status.Phase
	return nil
}

// unexpected returns the error for a hub of another type.
func unexpected(hub conversion.Hub) error {
	return fmt.Errorf("the hub is a %T, not a Recipe", hub)
}
