package hidden

import (
	"slices"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// jsonNode is a value in JSON.
type jsonNode = node[span]

// jsonValues is the carrier of JSON that conforms to its shape.
type jsonValues struct {
	indexed
	printer jsonPrinter
	// repeats reports that a map has two members of one name.
	repeats bool
}

// reset starts with other JSON.
func (v *jsonValues) reset(data []byte) {
	v.index(data)
	v.printer.forget()
}

// forget removes all data of the object, and keeps the buffers.
func (v *jsonValues) forget() {
	v.reset(nil)
	v.repeats = false
}

// isLong reports whether a buffer is too long to be reused.
func (v *jsonValues) isLong() bool { return v.printer.isLong() || cap(v.names) > maxKept }

// Repeats reports whether a map has two members of one name. The result must then not be used.
func (v *jsonValues) Repeats() bool { return v.repeats }

// root returns all of the JSON as a value of a shape.
func (v *jsonValues) root(s *shape.Shape) jsonNode { return jsonNode{s, v.all()} }

func (v *jsonValues) elements(out []jsonNode, list jsonNode) []jsonNode {
	const long = 1 << 12 // buffers for shorter lists grow little
	c := v.cursor(list.at)
	if list.at.end-list.at.start > long {
		out = slices.Grow(out, c.CountElements())
	}
	for ok := c.Take('['); ok && c.More(']'); {
		out = append(out, jsonNode{list.shape.Elem, next(&c)})
	}
	return out
}

func (v *jsonValues) prints(list jsonNode, elements []jsonNode) ([]elementPrint, []uint32) {
	v.printer.expect(len(elements))
	i := v.printer.remembered(list.shape, v.cursor(list.at))
	v.repeats = v.repeats || v.printer.found
	if i < 0 {
		return nil, nil
	}
	return v.printer.prints(i), v.printer.leavesOf(i, v.printer.leaves)
}

func (v *jsonValues) leaves(element jsonNode) []uint32 {
	p := jsonPrinter{Cursor: v.cursor(element.at), within: 1}
	p.value(element.shape, 0)
	return p.leaves
}

func (v *jsonValues) identity(element jsonNode, members []*shape.Field) uint64 {
	id := uint64(0)
	for _, f := range members {
		c := v.cursor(element.at)
		if !c.Find(f.Name) {
			return 0
		}
		p := jsonPrinter{Cursor: c}
		value := p.value(f.Shape, 0)
		if value == 0 {
			return 0
		}
		id = fingerprint.Join(id, value)
	}
	return id
}

// split appends the entries of the property bag of an object, and the members of an object or a
// map that can contain bags.
func (v *jsonValues) split(n jsonNode, into *parts[span]) {
	s, mark, entries := n.shape, len(into.members), len(into.entries)
	m, c := shape.MemberSet{Of: s}, v.cursor(n.at)
	if s.Kind == shape.Map || s.Additional != nil && s.Additional.Shape.CarriesBag {
		into.members = slices.Grow(into.members, c.Count())
	}
	for c.Take('{'); c.More('}'); {
		name := c.Name()
		if s.Kind == shape.Map {
			into.members = append(into.members, part[span]{node: jsonNode{s.Elem, next(&c)}, name: jsontext.Borrow(name)})
			continue
		}
		switch f, _ := m.Find(name); {
		case f != nil && f.Shape.CarriesBag:
			into.members = append(into.members, part[span]{node: jsonNode{f.Shape, next(&c)}, name: f.Name, field: f})
		case f == nil && s.HasBag && string(name) == bag.Name:
			into.entries = appendEntries(into.entries, c.Raw())
		case f == nil && s.Additional != nil && s.Additional.Shape.CarriesBag:
			into.members = append(into.members, part[span]{node: jsonNode{s.Additional.Shape.Elem, next(&c)}, name: jsontext.Borrow(name)})
		default:
			c.Raw()
		}
	}
	sortParts(into.members[mark:])
	v.repeats = v.repeats || repeatsName(into.members[mark:], func(p part[span]) string { return p.name }) ||
		repeatsName(into.entries[entries:], func(e jsontext.Member) string { return e.Name })
}

// appendEntries appends the entries of a property bag, sorted.
func appendEntries(all []jsontext.Member, entries runtime.JSON) []jsontext.Member {
	mark, c := len(all), jsontext.Cursor{Data: entries}
	all = slices.Grow(all, c.Count())
	for ok := c.Take('{'); ok && c.More('}'); {
		name := jsontext.Borrow(c.Name())
		all = append(all, jsontext.Member{Name: name, Value: c.Raw()})
	}
	jsontext.SortMembers(all[mark:])
	return all
}
