package hidden

import (
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// named finds the elements of a list by the member that names them, of which identities has all
// that are now; nil if some have no name of their own.
func (h *list) named(identities func(keys []string) ([]uint64, bool)) []int {
	was, ok := fingerprint.Unpack(h.keys)
	if !ok || h.by == "" {
		return nil
	}
	is, ok := identities([]string{h.by})
	if !ok || !fingerprint.IsUnique(is) || !fingerprint.IsUnique(was) {
		return nil
	}
	now, places := make([]int, len(was)), fingerprint.PlacesOf(is)
	for i, id := range was {
		now[i] = places.Of(id)
	}
	return now
}

// identities are those of all elements of a list; zero for an element that lacks one.
func identities(s *shape.Shape, p unsafe.Pointer, fields []*shape.Field) []uint64 {
	out := make([]uint64, s.Length(p))
	for i := range out {
		_, q := s.Elem.Reach(s.Element(p, i))
		out[i], _ = identity(fields, q)
	}
	return out
}

func printsOf(notes []elementNote) []uint64 {
	out := make([]uint64, len(notes))
	for i, n := range notes {
		out[i] = n.print
	}
	return out
}

func liveLeaves(s *shape.Shape, p unsafe.Pointer) func(i int) []uint32 {
	return func(i int) []uint32 {
		w := Printer{within: 1}
		w.value(s.Elem, s.Element(p, i), 0)
		return w.leaves
	}
}

func hiddenLeaves(data runtime.JSON) func(i int) []uint32 {
	elements := jsontext.Elements(data)
	return func(i int) []uint32 {
		if i >= len(elements) {
			return nil
		}
		return fingerprint.UnpackLeaves(jsontext.Unquoted(elements[i]))
	}
}

// appendIdentities appends, for every element of a list, the fingerprint of the members that
// identify it. It reports whether all elements have them.
func appendIdentities(out []uint64, s *shape.Shape, p unsafe.Pointer, keys []string) ([]uint64, bool) {
	fields, ok := identifiers(s.Elem.Object(), keys)
	if !ok {
		return out, false
	}
	for i := range s.Length(p) {
		_, q := s.Elem.Reach(s.Element(p, i))
		id, ok := identity(fields, q)
		if !ok {
			return out, false
		}
		out = append(out, id)
	}
	return out, true
}

func identifiers(s *shape.Shape, keys []string) ([]*shape.Field, bool) {
	if s == nil {
		return nil, false
	}
	fields := make([]*shape.Field, len(keys))
	for i, key := range keys {
		if fields[i] = s.Member(key); fields[i] == nil || !fields[i].Shape.IsScalar() {
			return nil, false
		}
	}
	return fields, true
}

func identity(fields []*shape.Field, p unsafe.Pointer) (uint64, bool) {
	if p == nil {
		return 0, false
	}
	var w Printer
	id := uint64(0)
	for _, f := range fields {
		value := w.value(f.Shape, unsafe.Add(p, f.Offset), 0)
		if value == 0 {
			return 0, false
		}
		id = fingerprint.Join(id, value)
	}
	return id, true
}
