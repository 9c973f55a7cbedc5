package genruntime

import (
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// named finds the elements of a list by the member that names them, of which identities has all that are now; nil if
// some have no name of their own.
func (h *hiddenList) named(identities func(keys []string) ([]uint64, bool)) []int {
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
func identities(s *shape, p unsafe.Pointer, fields []*field) []uint64 {
	out := make([]uint64, s.length(p))
	for i := range out {
		_, q := s.elem.reach(s.element(p, i))
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

func liveLeaves(s *shape, p unsafe.Pointer) func(i int) []uint32 {
	return func(i int) []uint32 {
		w := printer{within: 1}
		w.value(s.elem, s.element(p, i), 0)
		return w.leaves
	}
}

func hiddenLeaves(data runtime.JSON) func(i int) []uint32 {
	elements := elementsOf(data)
	return func(i int) []uint32 {
		if i >= len(elements) {
			return nil
		}
		return fingerprint.UnpackLeaves(jsontext.Unquoted(elements[i]))
	}
}

// naming are the members that name the elements of a list, where the list has no key. They are tried in this order.
var naming = []string{"name", "id"}

// appendIdentities appends, for every element of a list, the fingerprint of the members that identify it. It reports
// whether all elements have them.
func appendIdentities(out []uint64, s *shape, p unsafe.Pointer, keys []string) ([]uint64, bool) {
	fields, ok := identifiers(s.elem.object(), keys)
	if !ok {
		return out, false
	}
	for i := range s.length(p) {
		_, q := s.elem.reach(s.element(p, i))
		id, ok := identity(fields, q)
		if !ok {
			return out, false
		}
		out = append(out, id)
	}
	return out, true
}

func identifiers(s *shape, keys []string) ([]*field, bool) {
	if s == nil {
		return nil, false
	}
	fields := make([]*field, len(keys))
	for i, key := range keys {
		if fields[i] = s.member(key); fields[i] == nil || !fields[i].shape.isScalar() {
			return nil, false
		}
	}
	return fields, true
}

func (s *shape) isScalar() bool {
	for s.kind == pointerKind {
		s = s.elem
	}
	return textKind <= s.kind && s.kind <= truthKind
}

func identity(fields []*field, p unsafe.Pointer) (uint64, bool) {
	if p == nil {
		return 0, false
	}
	var w printer
	id := uint64(0)
	for _, f := range fields {
		value := w.value(f.shape, unsafe.Add(p, f.offset), 0)
		if value == 0 {
			return 0, false
		}
		id = fingerprint.Join(id, value)
	}
	return id, true
}
