package genruntime

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/counting"
)

// SpecTo converts the spec of an API version to any spec of its kind, through the hub's. ToHub
// converts src to the hub's spec directly.
func SpecTo[P, H runtime.ConvertibleSpec](src P, dst runtime.ConvertibleSpec, toHub func(P, H) error) error {
	if hub, ok := dst.(H); ok {
		counting.Count(string(runtime.SpecAlone))
		return toHub(src, hub)
	}
	return SpecToVia(src, blank[H](), dst)
}

// SpecFrom converts any spec of its kind to the spec of an API version, through the hub's.
// FromHub converts the hub's spec to dst directly.
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
