package genruntime

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
	"unsafe"

	"github.com/stratakube/strata/runtime"
)

// places tells where elements are by their identities.
type places map[uint64]int

func placesOf(identities []uint64) places {
	p := make(places, len(identities))
	for i, id := range identities {
		if _, twice := p[id]; twice {
			i = nobody
		}
		p[id] = i
	}
	return p
}

// of returns the index of the only element with an identity; -1 where there is none.
func (p places) of(id uint64) int {
	if i, found := p[id]; found && id != 0 {
		return i
	}
	return nobody
}

// named finds the elements of a list by the member that names them, of which identities has all that are now; nil if
// some have no name of their own.
func (h *hiddenList) named(identities func(keys []string) ([]uint64, bool)) []int {
	was, ok := unpack(h.keys)
	if !ok || h.by == "" {
		return nil
	}
	is, ok := identities([]string{h.by})
	if !ok || !isUnique(is) || !isUnique(was) {
		return nil
	}
	now, places := make([]int, len(was)), placesOf(is)
	for i, id := range was {
		now[i] = places.of(id)
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
		return unpackLeaves(unquoted(elements[i]))
	}
}

func inOrder(length int) []int {
	out := make([]int, length)
	for i := range out {
		out[i] = i
	}
	return out
}

// unpack reads fingerprints as a bag has them.
func unpack(text []byte) ([]uint64, bool) {
	raw, err := base64.RawURLEncoding.AppendDecode(nil, text)
	if err != nil || len(raw)%8 != 0 {
		return nil, false
	}
	out := make([]uint64, 0, len(raw)/8)
	for chunk := range slices.Chunk(raw, 8) {
		out = append(out, binary.BigEndian.Uint64(chunk))
	}
	return out, true
}

// unpackLeaves reads the leaves of one element as a bag has them.
func unpackLeaves(text []byte) []uint32 {
	raw, err := base64.RawURLEncoding.AppendDecode(nil, text)
	if err != nil {
		return nil
	}
	out := make([]uint32, 0, len(raw)/4)
	for ; len(raw) >= 4; raw = raw[4:] {
		out = append(out, binary.BigEndian.Uint32(raw))
	}
	return out
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
		id = join(id, value)
	}
	return id, true
}

func isUnique(prints []uint64) bool {
	seen := make(map[uint64]struct{}, len(prints))
	for _, print := range prints {
		seen[print] = struct{}{}
	}
	return len(seen) == len(prints)
}
