package hidden

import (
	"bytes"
	"slices"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// span is the range of a value in JSON, which is shorter than 4 GiB.
type span struct{ start, end uint32 }

// indexed is JSON with an index of the ends of its long values, and of the names of property
// bags. So a value is not parsed again for each value around it.
type indexed struct {
	data []byte
	// jumps are the ends. They are found when a cursor first needs them.
	jumps   *jsontext.Jumps
	isKnown bool
	// top has the ends of the long members of all of the JSON; nil if they are not known.
	top *jsontext.Jumps
	// names are the offsets of the names of property bags, sorted.
	names []uint32
}

// index indexes JSON. It reuses the memory of x.
func (x *indexed) index(data []byte) {
	*x = indexed{data: data, names: x.names[:0]}
	for at := 0; ; {
		i := bytes.Index(data[at:], bag.QuotedName[1:])
		if i < 0 {
			return
		}
		if at += i; at > 0 && data[at-1] == '"' {
			x.names = append(x.names, uint32(at-1))
		}
		at += len(bag.QuotedName) - 1
	}
}

// mayHaveBags reports whether a value may contain a property bag.
func (x *indexed) mayHaveBags(at span) bool {
	i, _ := slices.BinarySearch(x.names, at.start)
	return i < len(x.names) && int(x.names[i])+len(bag.QuotedName) <= int(at.end)
}

// all returns the span of all of the JSON.
func (x *indexed) all() span { return span{0, uint32(len(x.data))} }

// text returns the bytes of a value.
func (x *indexed) text(at span) []byte { return x.data[at.start:at.end] }

// cursor returns a cursor over a value.
func (x *indexed) cursor(at span) jsontext.Cursor {
	if x.top != nil && at == x.all() {
		return jsontext.Cursor{Data: x.data, Jumps: x.top}
	}
	if !x.isKnown {
		x.jumps, x.isKnown = jsontext.FindJumps(x.data), true
	}
	return jsontext.Cursor{Data: x.data[:at.end], At: int(at.start), Jumps: x.jumps}
}

// next steps over the next value, and returns its span.
func next(c *jsontext.Cursor) span {
	length := len(c.Raw())
	return span{uint32(c.At - length), uint32(c.At)}
}

// hides reports whether a value of a shape contains a property bag with entries.
func (x *indexed) hides(s *shape.Shape, at span) bool {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	if !s.CarriesBag || !x.mayHaveBags(at) {
		return false
	}
	c := x.cursor(at)
	switch s.Kind {
	case shape.Object:
		m := shape.MemberSet{Of: s}
		for ok := c.Take('{'); ok && c.More('}'); {
			name := c.Name()
			value := next(&c)
			switch f, _ := m.Find(name); {
			case f != nil && x.hides(f.Shape, value), f == nil && s.HasBag && string(name) == bag.Name && hasMembers(x.text(value)):
				return true
			case f == nil && s.Additional != nil && string(name) != bag.Name && x.hides(s.Additional.Shape.Elem, value):
				return true
			}
		}
	case shape.List:
		for ok := c.Take('['); ok && c.More(']'); {
			if x.hides(s.Elem, next(&c)) {
				return true
			}
		}
	case shape.Map:
		for ok := c.Take('{'); ok && c.More('}'); {
			if c.Name(); x.hides(s.Elem, next(&c)) {
				return true
			}
		}
	}
	return false
}

// hasMembers reports whether JSON is a non-empty object.
func hasMembers(value []byte) bool {
	c := jsontext.Cursor{Data: value}
	return c.Take('{') && c.More('}')
}

// withoutBags appends a value without its property bags. Out may precede the value in the same
// memory; the JSON must then not be used afterwards.
func (x *indexed) withoutBags(out []byte, s *shape.Shape, at span) []byte {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	if !s.CarriesBag || !x.mayHaveBags(at) {
		return append(out, x.text(at)...)
	}
	c, m, bracket := x.cursor(at), shape.MemberSet{Of: s}, x.data[at.start]
	out = append(out, bracket)
	for first := c.Take(bracket); c.More(bracket + 2); {
		start, inner := c.At, s.Elem
		if bracket == '{' {
			name := c.Name()
			if s.Kind == shape.Object {
				if inner = memberShape(s, &m, name); inner == nil {
					c.Raw()
					continue
				}
			}
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(out, x.data[start:c.At]...)
		out = x.withoutBags(out, inner, next(&c))
	}
	return append(out, bracket+2)
}

// memberShape returns the shape of a member of an object. It returns nil for the property bag,
// and for members that the type lacks.
func memberShape(s *shape.Shape, m *shape.MemberSet, name []byte) *shape.Shape {
	f, _ := m.Find(name)
	switch {
	case f != nil:
		return f.Shape
	case s.Additional == nil || s.HasBag && string(name) == bag.Name:
		return nil
	default:
		return s.Additional.Shape.Elem
	}
}
