package genruntime

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/counting"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// storable is a pointer to an API type A that converts to its storage type S.
type storable[A, S any] interface {
	*A
	ConvertToStorage(dst *S) error
}

// restorable is a pointer to an API type A that converts from its storage type S.
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

// ListToStorage is [ListTo] for elements of an API type.
func ListToStorage[S, A any, P storable[A, S]](dst *[]S, src []A) error {
	return ListTo(dst, src, func(src *A, dst *S) error { return P(src).ConvertToStorage(dst) })
}

// ListFromStorage is [ListFrom] for elements of an API type.
func ListFromStorage[S, A any, P restorable[A, S]](dst *[]A, src []S) error {
	return ListFrom(dst, src, func(dst *A, src *S) error { return P(dst).ConvertFromStorage(src) })
}

// object has the methods that [About] requires.
type object interface {
	metav1.Object
	runtime.Original
}

// ToHub converts an object of an API type to the hub. It converts src to own, a blank object of
// its storage type, and own to the hub in one step. If the context of the conversion is done after
// the first of the two, ToHub returns its error.
func ToHub[P interface {
	ConvertToStorage(dst S) error
	object
}, S, H any](src P, own S, hub any, step func(S, H) error) error {
	dst, err := As[H](hub)
	if err != nil {
		return err
	}
	stored := src.ConvertToStorage(own)
	w := watch.Of(src)
	if w.Ended() {
		return w.Err
	}
	defer w.Attach(own)() // the step decides on the original version
	return About(src, stored, step(own, dst))
}

// FromHub converts the hub to an object of an API type. It converts the hub to own, a blank
// object of dst's storage type, in one step, and own to dst. If the context of the conversion is
// done after the first of the two, FromHub returns its error.
func FromHub[P interface {
	ConvertFromStorage(src S) error
	object
}, S, H any](dst P, own S, hub any, step func(H, S) error) error {
	src, err := As[H](hub)
	if err != nil {
		return err
	}
	stepped := step(src, own)
	if w := watch.Of(dst); w.Ended() {
		return w.Err
	}
	return About(dst, stepped, dst.ConvertFromStorage(own))
}

// SpecToThrough converts a spec to any spec of its kind, through the hub's spec. Own is a blank
// spec of src's storage type, which step converts to the hub's.
func SpecToThrough[P interface {
	ConvertToStorage(dst S) error
	runtime.ConvertibleSpec
}, S any, H runtime.ConvertibleSpec](src P, own S, dst runtime.ConvertibleSpec, step func(S, H) error) error {
	hub, is := dst.(H)
	if !is {
		return SpecToVia(src, blank[H](), dst)
	}
	counting.Count(string(runtime.SpecAlone))
	return FirstError(src.ConvertToStorage(own), step(own, hub))
}

// SpecFromThrough is [SpecToThrough] in the other direction.
func SpecFromThrough[P interface {
	ConvertFromStorage(src S) error
	runtime.ConvertibleSpec
}, S any, H runtime.ConvertibleSpec](dst P, own S, src runtime.ConvertibleSpec, step func(H, S) error) error {
	hub, is := src.(H)
	if !is {
		return SpecFromVia(dst, blank[H](), src)
	}
	counting.Count(string(runtime.SpecAlone))
	return FirstError(step(hub, own), dst.ConvertFromStorage(own))
}

// StatusToThrough is [SpecToThrough] for a status.
func StatusToThrough[P interface {
	ConvertToStorage(dst S) error
	runtime.ConvertibleStatus
}, S any, H runtime.ConvertibleStatus](src P, own S, dst runtime.ConvertibleStatus, step func(S, H) error) error {
	hub, is := dst.(H)
	if !is {
		return StatusToVia(src, blank[H](), dst)
	}
	counting.Count(string(runtime.StatusAlone))
	return FirstError(src.ConvertToStorage(own), step(own, hub))
}

// StatusFromThrough is [StatusToThrough] in the other direction.
func StatusFromThrough[P interface {
	ConvertFromStorage(src S) error
	runtime.ConvertibleStatus
}, S any, H runtime.ConvertibleStatus](dst P, own S, src runtime.ConvertibleStatus, step func(H, S) error) error {
	hub, is := src.(H)
	if !is {
		return StatusFromVia(dst, blank[H](), src)
	}
	counting.Count(string(runtime.StatusAlone))
	return FirstError(step(hub, own), dst.ConvertFromStorage(own))
}
