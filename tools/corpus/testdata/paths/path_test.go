// Package paths compares the ways on which objects can be converted.
package paths

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/conversion"

	"github.com/stratakube/strata/runtime/conformance"
)

// The types of the ways are pointers, so that all ways are compiled once.

// itself is the way from the hub to the hub.
func itself[H any](h H) (H, error) { return h, nil }

// up is the way to the hub that starts with a step to a neighbour.
func up[S, N, H any](step func(S, N) error, rest func(N) (H, error)) func(S) (H, error) {
	return func(s S) (h H, err error) {
		next := empty[N]()
		if err := step(s, next); err != nil {
			return h, err
		}
		return rest(next)
	}
}

// down is the way from the hub that ends with a step from a neighbour.
func down[S, N, H any](rest func(H) (N, error), step func(N, S) error) func(H) (S, error) {
	return func(h H) (S, error) {
		s := empty[S]()
		next, err := rest(h)
		if err != nil {
			return s, err
		}
		return s, step(next, s)
	}
}

// empty returns a pointer to a new object.
func empty[P any]() P { return reflect.New(reflect.TypeFor[P]().Elem()).Interface().(P) }

// version is an API version with its conversions.
type version[A, S, H any] struct {
	to, from               func(A, conversion.Hub) error
	toStorage, fromStorage func(A, S) error
	up                     func(S) (H, error)
	down                   func(H) (S, error)
}

// prove demands that all steps and the fused conversions have the same result: of objects that users write, and of
// objects that are stored.
func prove[A, S, H any](t *testing.T, resource, label string, v version[*A, *S, *H]) {
	written := conformance.Version(label, v.upward, v.downward).Ignore("Status.PropertyBag")
	stored := conformance.Version(label+" from the hub", func(h, again *H) error {
		*again = *h
		return v.downward(new(A), h)
	}, func(again, h *H) error {
		*again = *h
		return nil
	})
	conformance.Run(t, conformance.Resource(resource, written, stored))
}

func (v version[A, S, H]) upward(a A, h H) error {
	s := empty[S]()
	if err := v.toStorage(a, s); err != nil {
		return err
	}
	stepped, err := v.up(s)
	if err != nil {
		return err
	}
	if err := v.to(a, any(h).(conversion.Hub)); err != nil {
		return err
	}
	return same(h, stepped)
}

func (v version[A, S, H]) downward(a A, h H) error {
	s, err := v.down(h)
	if err != nil {
		return err
	}
	stepped := empty[A]()
	if err := v.fromStorage(stepped, s); err != nil {
		return err
	}
	if err := v.from(a, any(h).(conversion.Hub)); err != nil {
		return err
	}
	return same(a, stepped)
}

// same demands that two objects are equal, or at least their JSON.
func same(fused, stepped any) error {
	if reflect.DeepEqual(fused, stepped) {
		return nil
	}
	a, err := json.Marshal(fused)
	if err != nil {
		return err
	}
	b, err := json.Marshal(stepped)
	if err != nil {
		return err
	}
	if string(a) != string(b) {
		return fmt.Errorf("fused is not as step by step:\n%s\n%s", a, b)
	}
	return nil
}
