package preserve

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/express"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// derivations has a function for each version whose lists may have more than it lacks.
var derivations sync.Map // derivationKey -> deriveFunc

// deriveFunc converts a hub's spec to a version and back, without bags. Both specs are pointers. It
// returns nil if a step fails, or if ended reports true between the steps.
type deriveFunc = func(spec any, ended func() bool) any

type derivationKey struct {
	hub     reflect.Type
	version string
}

// RegisterDerived registers such a function. Hub is the type of the hub's spec.
func RegisterDerived(hub reflect.Type, version string, derive deriveFunc) {
	derivations.Store(derivationKey{hub, version}, derive)
}

// stepsOfVersion is the number of steps to find what a version lacks of a spec: a conversion to the
// version, a copy, a conversion back, and a comparison.
const stepsOfVersion = 4

// DecisionSteps returns how many steps a decision on the original version takes at most, beside the
// conversion of the object. Spec is the type of the hub's spec. A decision compares two versions.
func DecisionSteps(spec reflect.Type) int {
	versions := 0
	derivations.Range(func(key, _ any) bool {
		if key.(derivationKey).hub == spec {
			versions++
		}
		return versions < 2
	})
	return versions * stepsOfVersion
}

// decision compares what versions lack of a hub's spec. It looks at the watch before each of its
// conversions.
type decision struct {
	shape       *shape.Shape
	spec        unsafe.Pointer
	expressions express.Expressions
	watch       *watch.Watch
}

// missing lists the places in the hub's spec that a version cannot express. A value is missing if
// it does not come back from a conversion to the version and back without bags. For a version
// without registered conversions, the lists say exactly that.
func (d decision) missing(of *express.Expression) []*express.Path {
	if d.watch.Ended() {
		return nil
	}
	found := d.expressions.Missing(of, d.shape, d.spec)
	if len(found) == 0 {
		return nil
	}
	derive, known := derivations.Load(derivationKey{d.shape.Type, of.Version})
	if !known {
		return found
	}
	again := shape.Address(derive.(deriveFunc)(reflect.NewAt(d.shape.Type, d.spec).Interface(), d.watch.Ended))
	if again == nil || d.watch.Ended() {
		return found
	}
	return express.Lost(found, d.shape, d.spec, again)
}

// RemoveBags removes all entries of property bags within a storage spec, except for the raw
// values of this version. The spec is a pointer to an object that shares no memory.
func RemoveBags(spec any, version string) {
	removeBags(shape.Of(shape.Pointee(spec, 1)), shape.Address(spec), version)
}

func removeBags(s *shape.Shape, p unsafe.Pointer, version string) {
	s, p = s.Reach(p)
	if p == nil || !s.CarriesBag {
		return
	}
	switch s.Kind {
	case shape.Object:
		if s.HasBag {
			*s.BagAt(p) = rawOf(*s.BagAt(p), version)
		}
		for i := range s.Carriers {
			removeBags(s.Carriers[i].Shape, unsafe.Add(p, s.Carriers[i].Offset), version)
		}
	case shape.List:
		for i := range s.Length(p) {
			removeBags(s.Elem, s.Element(p, i), version)
		}
	case shape.Map:
		for _, key := range s.SortedKeys(p) {
			s.EditEntry(p, key, func(value unsafe.Pointer) { removeBags(s.Elem, value, version) })
		}
	}
}

// rawOf returns the raw values of a version in a bag.
func rawOf(b runtime.PropertyBag, version string) runtime.PropertyBag {
	var out runtime.PropertyBag
	for key, value := range b {
		if _, own := bag.ReadMisfit(key, version); own {
			bag.Set(&out, key, value)
		}
	}
	return out
}
