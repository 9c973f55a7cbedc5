package v1alpha1

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/conversion"

	shopv1 "example.com/bookshop/api/v1"
)

// ConvertTo converts src to the hub version, v1.
func (src *Book) ConvertTo(to conversion.Hub) error {
	dst, ok := to.(*shopv1.Book)
	if !ok {
		return unexpected(to)
	}
	dst.ObjectMeta = src.ObjectMeta
	dst.Spec.Title = src.Spec.Title
	dst.Status.Conditions = src.Status.Conditions
	return nil
}

// ConvertFrom converts the hub version, v1, to dst.
func (dst *Book) ConvertFrom(from conversion.Hub) error {
	src, ok := from.(*shopv1.Book)
	if !ok {
		return unexpected(from)
	}
	dst.ObjectMeta = src.ObjectMeta
	dst.Spec.Title = src.Spec.Title
	dst.Status.Conditions = src.Status.Conditions
	return nil
}

// unexpected returns the error for a hub of another type.
func unexpected(hub conversion.Hub) error {
	return fmt.Errorf("the hub is a %T, not a Book", hub)
}
