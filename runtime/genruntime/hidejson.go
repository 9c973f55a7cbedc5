package genruntime

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// jsonWriter is the writer of a bag for JSON of storage types: it writes the same bytes as a writer does for the value
// that the JSON is.
type jsonWriter struct{ *writer }

// part writes a member if something is hidden in it.
func (w jsonWriter) part(name string, s *shape, data []byte) bool {
	mark := len(w.out)
	if w.member(name); w.value(s, data, nil) {
		return true
	}
	w.out = w.out[:mark]
	return false
}

func (w jsonWriter) value(s *shape, data []byte, keys []string) bool {
	for s.kind == pointerKind {
		s = s.elem
	}
	switch {
	case !s.carries || !bag.MayHaveBags(data):
		return false
	case s.kind == objectKind:
		return w.object(s, data)
	case s.kind == dictKind:
		return w.dict(s, data)
	case s.kind == listKind:
		return hidesIn(s, data) && w.list(s, data, keys)
	default:
		return false
	}
}

// hidesIn reports whether a property bag with entries is in JSON of a shape.
func hidesIn(s *shape, data []byte) bool {
	for s.kind == pointerKind {
		s = s.elem
	}
	if !s.carries || !bag.MayHaveBags(data) {
		return false
	}
	c := jsontext.Cursor{Data: data}
	switch s.kind {
	case objectKind:
		m := memberReader{of: s}
		for ok := c.Take('{'); ok && c.More('}'); {
			name := c.Name()
			value := c.Raw()
			switch f, _ := m.find(name); {
			case f != nil && hidesIn(f.shape, value), f == nil && s.hasBag && string(name) == bag.Name && hasMembers(value):
				return true
			case f == nil && s.more != nil && string(name) != bag.Name && hidesIn(s.more.shape.elem, value):
				return true
			}
		}
	case listKind:
		for ok := c.Take('['); ok && c.More(']'); {
			if hidesIn(s.elem, c.Raw()) {
				return true
			}
		}
	case dictKind:
		for ok := c.Take('{'); ok && c.More('}'); {
			if c.Name(); hidesIn(s.elem, c.Raw()) {
				return true
			}
		}
	}
	return false
}

// hasMembers reports whether JSON is an object that is not empty.
func hasMembers(value runtime.JSON) bool {
	c := jsontext.Cursor{Data: value}
	return c.Take('{') && c.More('}')
}

// namedJSON is a member.
type namedJSON struct {
	name  string
	value runtime.JSON
}

func sortNamed(all []namedJSON) {
	slices.SortFunc(all, func(a, b namedJSON) int { return strings.Compare(a.name, b.name) })
}

// sortedMembers are the members of a JSON object by their names, which share its memory.
func sortedMembers(object []byte) []namedJSON {
	c := jsontext.Cursor{Data: object}
	all := make([]namedJSON, 0, c.Count())
	for ok := c.Take('{'); ok && c.More('}'); {
		all = append(all, namedJSON{jsontext.Borrow(c.Name()), c.Raw()})
	}
	sortNamed(all)
	return all
}

func (w jsonWriter) object(s *shape, data []byte) bool {
	var in, more []namedJSON
	wrote := false
	w.out = append(w.out, '{')
	m, c := memberReader{of: s}, jsontext.Cursor{Data: data}
	for c.Take('{'); c.More('}'); {
		name := c.Name()
		value := c.Raw()
		switch f, _ := m.find(name); {
		case f != nil && f.shape.carries:
			in = append(in, namedJSON{f.name, value})
		case f == nil && s.hasBag && string(name) == bag.Name:
			wrote = w.entries(value)
		case f == nil && s.more != nil:
			more = append(more, namedJSON{string(name), value})
		}
	}
	sortNamed(in)
	sortNamed(more)
	within := w.within(`"in":{`, in, func(n namedJSON) bool { f := s.member(n.name); return w.value(f.shape, n.value, f.keys) })
	if len(more) > 0 && s.more.shape.carries {
		within = w.within(`"more":{`, more, func(n namedJSON) bool { return w.value(s.more.shape.elem, n.value, nil) }) || within
	}
	w.out = append(w.out, '}')
	return wrote || within
}

// within writes a member with what is hidden in values, if anything is.
func (w jsonWriter) within(member string, all []namedJSON, write func(n namedJSON) bool) bool {
	mark, wrote := len(w.out), false
	w.member(member)
	for _, n := range all {
		start := len(w.out)
		if w.named(n.name); write(n) {
			wrote = true
		} else {
			w.out = w.out[:start]
		}
	}
	if w.out = append(w.out, '}'); !wrote {
		w.out = w.out[:mark]
	}
	return wrote
}

// entries writes the entries of a property bag, sorted.
func (w jsonWriter) entries(bag []byte) bool {
	all := sortedMembers(bag)
	if len(all) == 0 {
		return false
	}
	w.member(`"bag":{`)
	for _, n := range all {
		w.named(n.name)
		w.out = jsontext.AppendCompact(w.out, n.value)
	}
	w.out = append(w.out, '}')
	return true
}

func (w jsonWriter) dict(s *shape, data []byte) bool {
	mark := len(w.out)
	w.out = append(w.out, '{')
	if !w.within(`"in":{`, sortedMembers(data), func(n namedJSON) bool { return w.value(s.elem, n.value, nil) }) {
		w.out = w.out[:mark]
		return false
	}
	w.out = append(w.out, '}')
	return true
}

func (w jsonWriter) list(s *shape, data []byte, keys []string) bool {
	all := elementsOf(data)
	w.out = append(w.out, '{')
	w.lists++
	defer func() { w.lists-- }()
	if len(keys) > 0 {
		if ids, ok := identitiesAs(s, all, keys); ok && fingerprint.IsUnique(ids) {
			w.elements(s, all, ids)
			w.member(`"keyed":true}`)
			return true
		}
	}
	prints, leaves, count := make([]uint64, len(all)), make([][]uint32, len(all)), 0
	for i, element := range all {
		p := jsonPrinter{Cursor: jsontext.Cursor{Data: element}, collects: true}
		prints[i], leaves[i] = p.value(s.elem, 0), p.leaves
		count += len(p.leaves)
	}
	w.member(`"all":`).prints(prints...)
	var named []uint64
	for _, name := range naming {
		if ids, ok := identitiesAs(s, all, []string{name}); ok && fingerprint.IsUnique(ids) {
			w.member(`"by":`).text(name)
			named = ids
			break
		}
	}
	w.elements(s, all, nil)
	if named != nil {
		w.member(`"keys":`).prints(named...)
	}
	if count <= maxLeaves && w.lists <= maxLeafLists {
		w.member(`"leaves":[`)
		for _, l := range leaves {
			w.leaves(l)
		}
		w.out = append(w.out, ']')
	}
	w.out = append(w.out, '}')
	return true
}

func (w jsonWriter) elements(s *shape, all []runtime.JSON, ids []uint64) {
	w.member(`"in":[`)
	for i, element := range all {
		mark := len(w.out)
		w.member("[").integer(i)
		if ids != nil {
			w.member("").prints(ids[i])
		}
		if !w.part("", s.elem, element) {
			w.out = w.out[:mark]
			continue
		}
		w.out = append(w.out, ']')
	}
	w.out = append(w.out, ']')
}

// withoutBags appends JSON of a shape without its property bags.
func withoutBags(out []byte, s *shape, data []byte) []byte {
	for s.kind == pointerKind {
		s = s.elem
	}
	if !s.carries || !bag.MayHaveBags(data) {
		return append(out, data...)
	}
	c, m, bracket := jsontext.Cursor{Data: data}, memberReader{of: s}, data[0]
	out = append(out, bracket)
	for first := c.Take(bracket); c.More(bracket + 2); {
		start, inner := c.At, s.elem
		if bracket == '{' {
			name := c.Name()
			if s.kind == objectKind {
				if inner = s.inside(&m, name); inner == nil {
					c.Raw()
					continue
				}
			}
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = withoutBags(append(out, data[start:c.At]...), inner, c.Raw())
	}
	return append(out, bracket+2)
}

// inside is the shape of a member of an object; nil for its property bag, and what it does not have.
func (s *shape) inside(m *memberReader, name []byte) *shape {
	f, _ := m.find(name)
	switch {
	case f != nil:
		return f.shape
	case s.more == nil || s.hasBag && string(name) == bag.Name:
		return nil
	default:
		return s.more.shape.elem
	}
}
