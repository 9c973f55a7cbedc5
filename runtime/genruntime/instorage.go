package genruntime

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/counting"
)

// storable is a pointer to an API type A, which converts to its storage type S.
type storable[A, S any] interface {
	*A
	ConvertToStorage(dst *S) error
}

// restorable is a pointer to an API type A, which converts from its storage type S.
type restorable[A, S any] interface {
	*A
	ConvertFromStorage(src *S) error
}

// ToStorage converts src into a new object of its storage type at dst. Nil stays nil.
func ToStorage[S, A any, P storable[A, S]](dst **S, src P) error {
	if src == nil {
		*dst = nil
		return nil
	}
	*dst = new(S)
	return src.ConvertToStorage(*dst)
}

// FromStorage converts src into a new object of an API type at dst. Nil stays nil.
func FromStorage[S, A any, P restorable[A, S]](dst *P, src *S) error {
	if src == nil {
		*dst = nil
		return nil
	}
	*dst = new(A)
	return (*dst).ConvertFromStorage(src)
}

// ListToStorage is [ListTo] for the elements of an API type.
func ListToStorage[S, A any, P storable[A, S]](dst *[]S, src []A) error {
	return ListTo(dst, src, func(src *A, dst *S) error { return P(src).ConvertToStorage(dst) })
}

// ListFromStorage is [ListFrom] for the elements of an API type.
func ListFromStorage[S, A any, P restorable[A, S]](dst *[]A, src []S) error {
	return ListFrom(dst, src, func(dst *A, src *S) error { return P(dst).ConvertFromStorage(src) })
}

// object is what errors name.
type object interface {
	metav1.Object
	runtime.Original
}

// ToHub converts an object of an API type to the hub: to its storage type, and from that in one
// step.
func ToHub[A, S, H any, P interface {
	storable[A, S]
	object
}](src P, hub any, step func(*S, *H) error) error {
	dst, err := As[*H](hub)
	if err != nil {
		return err
	}
	var own S
	return About(src, src.ConvertToStorage(&own), step(&own, dst))
}

// FromHub converts an object of an API type from the hub: to its storage type in one step, and from
// that.
func FromHub[A, S, H any, P interface {
	restorable[A, S]
	object
}](dst P, hub any, step func(*H, *S) error) error {
	src, err := As[*H](hub)
	if err != nil {
		return err
	}
	var own S
	return About(dst, step(src, &own), dst.ConvertFromStorage(&own))
}

// SpecToThrough converts a spec to any of its kind, through that of the hub: step converts its
// storage type to that.
func SpecToThrough[A, S, H any, P interface {
	storable[A, S]
	runtime.ConvertibleSpec
}, Q specPointer[H]](src P, dst runtime.ConvertibleSpec, step func(*S, *H) error) error {
	hub, is := dst.(Q)
	if !is {
		return SpecToVia(src, Q(new(H)), dst)
	}
	counting.Count(string(runtime.SpecAlone))
	var own S
	return FirstError(src.ConvertToStorage(&own), step(&own, hub))
}

// SpecFromThrough is [SpecToThrough] back.
func SpecFromThrough[A, S, H any, P interface {
	restorable[A, S]
	runtime.ConvertibleSpec
}, Q specPointer[H]](dst P, src runtime.ConvertibleSpec, step func(*H, *S) error) error {
	hub, is := src.(Q)
	if !is {
		return SpecFromVia(dst, Q(new(H)), src)
	}
	counting.Count(string(runtime.SpecAlone))
	var own S
	return FirstError(step(hub, &own), dst.ConvertFromStorage(&own))
}

// StatusToThrough is [SpecToThrough] for a status.
func StatusToThrough[A, S, H any, P interface {
	storable[A, S]
	runtime.ConvertibleStatus
}, Q statusPointer[H]](src P, dst runtime.ConvertibleStatus, step func(*S, *H) error) error {
	hub, is := dst.(Q)
	if !is {
		return StatusToVia(src, Q(new(H)), dst)
	}
	counting.Count(string(runtime.StatusAlone))
	var own S
	return FirstError(src.ConvertToStorage(&own), step(&own, hub))
}

// StatusFromThrough is [StatusToThrough] back.
func StatusFromThrough[A, S, H any, P interface {
	restorable[A, S]
	runtime.ConvertibleStatus
}, Q statusPointer[H]](dst P, src runtime.ConvertibleStatus, step func(*H, *S) error) error {
	hub, is := src.(Q)
	if !is {
		return StatusFromVia(dst, Q(new(H)), src)
	}
	counting.Count(string(runtime.StatusAlone))
	var own S
	return FirstError(step(hub, &own), dst.ConvertFromStorage(&own))
}
