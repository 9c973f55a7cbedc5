package genruntime

import (
	"strconv"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// jsonPrinter makes fingerprints of JSON that conforms to a shape, the same as a printer makes of the value that the JSON
// is. Property bags do not count.
type jsonPrinter struct {
	jsontext.Cursor
	collects bool
	leaves   []uint32
}

// printAs is the fingerprint of JSON that conforms to a shape.
func printAs(s *shape, data []byte) uint64 {
	w := jsonPrinter{Cursor: jsontext.Cursor{Data: data}}
	return w.value(s, 0)
}

// leavesAs are the leaves of JSON that conforms to a shape.
func leavesAs(s *shape, data []byte) []uint32 {
	w := jsonPrinter{Cursor: jsontext.Cursor{Data: data}, collects: true}
	w.value(s, 0)
	return w.leaves
}

// printObjectAs is the fingerprint of an object that conforms to a shape, leaving out one member, at a path.
func printObjectAs(s *shape, data []byte, without []string) uint64 {
	w := jsonPrinter{Cursor: jsontext.Cursor{Data: data}}
	return w.object(s, without)
}

func (w *jsonPrinter) value(s *shape, name uint64) uint64 {
	for s.kind == pointerKind {
		s = s.elem
	}
	switch s.kind {
	case numberKind:
		f, _ := strconv.ParseFloat(jsontext.Borrow(w.Raw()), 64)
		return w.leaf(name, fingerprint.OfFloat(f))
	case objectKind:
		return w.object(s, nil)
	case listKind:
		var sum fingerprint.Elements
		for w.Take('['); w.More(']'); {
			sum.Add(w.value(s.elem, name))
		}
		return sum.Print()
	case dictKind:
		if w.collects {
			return w.sorted(s)
		}
		var sum fingerprint.Members
		for w.Take('{'); w.More('}'); {
			name := fingerprint.OfText(fingerprint.NameSeed, w.Name())
			sum.Add(name, w.value(s.elem, name))
		}
		return sum.Print()
	default:
		return w.leaf(name, fingerprint.OfValue(&w.Cursor))
	}
}

func (w *jsonPrinter) leaf(name, value uint64) uint64 {
	if w.collects && value != 0 {
		w.leaves = append(w.leaves, uint32(fingerprint.Join(name, value)>>32))
	}
	return value
}

// sorted prints a map or an object in the order of its keys, in which leaves are kept: of an object first the members
// that its type names.
func (w *jsonPrinter) sorted(s *shape) uint64 {
	var named, more []namedJSON
	m := memberReader{of: s}
	for w.Take('{'); w.More('}'); {
		name := w.Name()
		n := namedJSON{string(name), w.Raw()}
		if s.kind == dictKind {
			more = append(more, n)
		} else if f, _ := m.find(name); f != nil {
			named = append(named, n)
		} else if s.more != nil && !(s.hasBag && n.name == bag.Name) {
			more = append(more, n)
		}
	}
	sortNamed(named)
	sortNamed(more)
	var sum fingerprint.Members
	rest := w.Cursor
	for _, n := range named {
		f := s.member(n.name)
		w.Cursor = jsontext.Cursor{Data: n.value}
		sum.Add(f.print, w.member(f))
	}
	elem := s.elem
	if s.kind == objectKind && s.more != nil {
		elem = s.more.shape.elem
	}
	for _, n := range more {
		name := fingerprint.OfText(fingerprint.NameSeed, n.name)
		w.Cursor = jsontext.Cursor{Data: n.value}
		sum.Add(name, w.value(elem, name))
	}
	w.Cursor = rest
	return sum.Print()
}

func (w *jsonPrinter) object(s *shape, without []string) uint64 {
	if w.collects {
		return w.sorted(s)
	}
	var sum fingerprint.Members
	m := memberReader{of: s}
	for w.Take('{'); w.More('}'); {
		name := w.Name()
		f, _ := m.find(name)
		switch {
		case f == nil && (s.more == nil || s.hasBag && string(name) == bag.Name):
			w.Raw()
		case f == nil:
			print := fingerprint.OfText(fingerprint.NameSeed, name)
			sum.Add(print, w.value(s.more.shape.elem, print))
		case len(without) == 0 || without[0] != f.name:
			sum.Add(f.print, w.member(f))
		case len(without) > 1 && f.shape.object() != nil:
			sum.Add(f.print, w.object(f.shape.object(), without[1:]))
		default:
			w.Raw()
		}
	}
	return sum.Print()
}

func (w *jsonPrinter) member(f *field) uint64 {
	mark := len(w.leaves)
	switch value := w.value(f.shape, f.print); {
	case f.preset == 0:
		return value
	case value == f.preset:
		w.leaves = w.leaves[:mark]
		return 0
	case value == 0:
		return w.leaf(f.print, fingerprint.Mix(fingerprint.NothingSeed))
	default:
		return value
	}
}

// elementsOf are the elements of a JSON list.
func elementsOf(list []byte) []runtime.JSON {
	var out []runtime.JSON
	c := jsontext.Cursor{Data: list}
	for ok := c.Take('['); ok && c.More(']'); {
		out = append(out, c.Raw())
	}
	return out
}

// identitiesAs are the fingerprints of the members that identify the elements of a list. It reports whether all elements
// have them.
func identitiesAs(s *shape, elements []runtime.JSON, keys []string) ([]uint64, bool) {
	fields, ok := identifiers(s.elem.object(), keys)
	out := make([]uint64, len(elements))
	for i, element := range elements {
		for _, f := range fields {
			var value uint64
			if member := jsontext.MemberOf(element, f.name); member != nil {
				value = printAs(f.shape, member)
			}
			if value == 0 {
				out[i], ok = 0, false
				break
			}
			out[i] = fingerprint.Join(out[i], value)
		}
	}
	return out, ok
}
