package hidden

import (
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/shape"
)

// Hides reports whether the value of shape s at p contains a property bag with entries. It visits
// only values that can contain one.
func Hides(s *shape.Shape, p unsafe.Pointer) bool {
	if p == nil || s == nil {
		return false
	}
	switch s.Kind {
	case shape.Pointer:
		return Hides(s.Elem, *(*unsafe.Pointer)(p))
	case shape.Object:
		return hidesMember(s, p)
	case shape.List:
		return hidesElement(s, p)
	case shape.Map:
		return hidesEntry(s, p)
	default:
		return false
	}
}

func hidesMember(s *shape.Shape, p unsafe.Pointer) bool {
	if s.HasBag && len(*s.BagAt(p)) > 0 {
		return true
	}
	for i := range s.Carriers {
		f := &s.Carriers[i]
		q := unsafe.Add(p, f.Offset)
		// All carriers begin with a pointer, except objects that are embedded in the value.
		if (f.Shape.Kind == shape.Object || *(*unsafe.Pointer)(q) != nil) && Hides(f.Shape, q) {
			return true
		}
	}
	return false
}

func hidesElement(s *shape.Shape, p unsafe.Pointer) bool {
	for i := range s.Length(p) {
		if Hides(s.Elem, s.Element(p, i)) {
			return true
		}
	}
	return false
}

func hidesEntry(s *shape.Shape, p unsafe.Pointer) bool {
	if *(*unsafe.Pointer)(p) == nil {
		return false
	}
	e := s.Borrow(p)
	defer s.Return(e)
	for e.Next() {
		if Hides(s.Elem, e.Address()) {
			return true
		}
	}
	return false
}
