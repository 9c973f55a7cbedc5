package hidden

import (
	"slices"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// span is where a value is in JSON, which is shorter than 4 GiB.
type span struct{ start, end uint32 }

// jsonNode is a value in JSON.
type jsonNode = node[span]

// jsonValues is the carrier of JSON that conforms to its shape.
type jsonValues struct {
	data []byte
	// collects is set to collect the leaves of elements.
	collects bool
	// repeats is set once a map was met that has two members of one name.
	repeats bool
}

// Repeats reports whether a map has two members of one name. Then what was written is of no use.
func (v *jsonValues) Repeats() bool { return v.repeats }

// root returns the value of a shape that is all of the JSON.
func (v *jsonValues) root(s *shape.Shape) jsonNode { return jsonNode{s, span{0, uint32(len(v.data))}} }

// text returns a value.
func (v *jsonValues) text(at span) []byte { return v.data[at.start:at.end] }

// cursor returns a cursor over a value.
func (v *jsonValues) cursor(at span) jsontext.Cursor {
	return jsontext.Cursor{Data: v.data[:at.end], At: int(at.start)}
}

// next steps over the next value, and returns where it is.
func next(c *jsontext.Cursor) span {
	length := len(c.Raw())
	return span{uint32(c.At - length), uint32(c.At)}
}

func (v *jsonValues) elements(out []jsonNode, list jsonNode) []jsonNode {
	c := v.cursor(list.at)
	for ok := c.Take('['); ok && c.More(']'); {
		out = append(out, jsonNode{list.shape.Elem, next(&c)})
	}
	return out
}

func (v *jsonValues) prints(_ jsonNode, elements []jsonNode) ([]elementPrint, []uint32) {
	p := jsonPrinter{collects: v.collects}
	out := make([]elementPrint, len(elements))
	for i, e := range elements {
		start := len(p.leaves)
		p.Cursor = v.cursor(e.at)
		out[i] = elementPrint{p.value(e.shape, 0), uint32(start), uint32(len(p.leaves))}
	}
	v.repeats = v.repeats || p.found
	return out, p.leaves
}

func (v *jsonValues) leaves(element jsonNode) []uint32 {
	p := jsonPrinter{Cursor: v.cursor(element.at), collects: true}
	p.value(element.shape, 0)
	return p.leaves
}

func (v *jsonValues) identity(element jsonNode, members []*shape.Field) uint64 {
	id := uint64(0)
	for _, f := range members {
		text := jsontext.MemberOf(v.text(element.at), f.Name)
		if text == nil {
			return 0
		}
		p := jsonPrinter{Cursor: jsontext.Cursor{Data: text}}
		value := p.value(f.Shape, 0)
		if value == 0 {
			return 0
		}
		id = fingerprint.Join(id, value)
	}
	return id
}

// split appends the property bag of an object or a map, and the members whose shapes can have one.
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
			into.entries = append(into.entries, jsontext.SortedMembers(c.Raw())...)
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
