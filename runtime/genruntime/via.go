package genruntime

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/counting"
)

// SpecTo converts an API version's spec to any spec of its kind, through the hub's: toHub converts
// to that directly.
func SpecTo[P, H runtime.ConvertibleSpec](src P, dst runtime.ConvertibleSpec, toHub func(P, H) error) error {
	if hub, ok := dst.(H); ok {
		counting.Count(string(runtime.SpecAlone))
		return toHub(src, hub)
	}
	return SpecToVia(src, blank[H](), dst)
}

// SpecFrom converts any spec of its kind to an API version's, through the hub's: fromHub converts
// from that directly.
func SpecFrom[P, H runtime.ConvertibleSpec](dst P, src runtime.ConvertibleSpec, fromHub func(P, H) error) error {
	if hub, ok := src.(H); ok {
		counting.Count(string(runtime.SpecAlone))
		return fromHub(dst, hub)
	}
	return SpecFromVia(dst, blank[H](), src)
}

// StatusTo is [SpecTo] for a status.
func StatusTo[P, H runtime.ConvertibleStatus](src P, dst runtime.ConvertibleStatus, toHub func(P, H) error) error {
	if hub, ok := dst.(H); ok {
		counting.Count(string(runtime.StatusAlone))
		return toHub(src, hub)
	}
	return StatusToVia(src, blank[H](), dst)
}

// StatusFrom is [SpecFrom] for a status.
func StatusFrom[P, H runtime.ConvertibleStatus](dst P, src runtime.ConvertibleStatus, fromHub func(P, H) error) error {
	if hub, ok := src.(H); ok {
		counting.Count(string(runtime.StatusAlone))
		return fromHub(dst, hub)
	}
	return StatusFromVia(dst, blank[H](), src)
}

type statusPointer[T any] interface {
	*T
	runtime.ConvertibleStatus
}
