package genruntime

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/counting"
)

// SpecTo converts an API version's spec to any spec of its kind, through the hub's: toHub converts
// to that directly.
func SpecTo[S, H any, P specPointer[S], Q specPointer[H]](src P, dst runtime.ConvertibleSpec, toHub func(*S, *H) error) error {
	if hub, ok := dst.(Q); ok {
		counting.Count(string(runtime.SpecAlone))
		return toHub(src, hub)
	}
	return SpecToVia(src, Q(new(H)), dst)
}

// SpecFrom converts any spec of its kind to an API version's, through the hub's: fromHub converts
// from that directly.
func SpecFrom[S, H any, P specPointer[S], Q specPointer[H]](dst P, src runtime.ConvertibleSpec, fromHub func(*S, *H) error) error {
	if hub, ok := src.(Q); ok {
		counting.Count(string(runtime.SpecAlone))
		return fromHub(dst, hub)
	}
	return SpecFromVia(dst, Q(new(H)), src)
}

// StatusTo is [SpecTo] for a status.
func StatusTo[S, H any, P statusPointer[S], Q statusPointer[H]](src P, dst runtime.ConvertibleStatus, toHub func(*S, *H) error) error {
	if hub, ok := dst.(Q); ok {
		counting.Count(string(runtime.StatusAlone))
		return toHub(src, hub)
	}
	return StatusToVia(src, Q(new(H)), dst)
}

// StatusFrom is [SpecFrom] for a status.
func StatusFrom[S, H any, P statusPointer[S], Q statusPointer[H]](dst P, src runtime.ConvertibleStatus, fromHub func(*S, *H) error) error {
	if hub, ok := src.(Q); ok {
		counting.Count(string(runtime.StatusAlone))
		return fromHub(dst, hub)
	}
	return StatusFromVia(dst, Q(new(H)), src)
}

type specPointer[T any] interface {
	*T
	runtime.ConvertibleSpec
}

type statusPointer[T any] interface {
	*T
	runtime.ConvertibleStatus
}
