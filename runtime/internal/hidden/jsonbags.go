package hidden

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// hidesJSON reports whether a property bag with entries is in JSON of a shape.
func hidesJSON(s *shape.Shape, data []byte) bool {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	if !s.CarriesBag || !bag.MayHaveBags(data) {
		return false
	}
	c := jsontext.Cursor{Data: data}
	switch s.Kind {
	case shape.Object:
		m := shape.MemberSet{Of: s}
		for ok := c.Take('{'); ok && c.More('}'); {
			name := c.Name()
			value := c.Raw()
			switch f, _ := m.Find(name); {
			case f != nil && hidesJSON(f.Shape, value), f == nil && s.HasBag && string(name) == bag.Name && hasMembers(value):
				return true
			case f == nil && s.Additional != nil && string(name) != bag.Name && hidesJSON(s.Additional.Shape.Elem, value):
				return true
			}
		}
	case shape.List:
		for ok := c.Take('['); ok && c.More(']'); {
			if hidesJSON(s.Elem, c.Raw()) {
				return true
			}
		}
	case shape.Map:
		for ok := c.Take('{'); ok && c.More('}'); {
			if c.Name(); hidesJSON(s.Elem, c.Raw()) {
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

// WithoutBags appends JSON of a shape without its property bags.
func WithoutBags(out []byte, s *shape.Shape, data []byte) []byte {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	if !s.CarriesBag || !bag.MayHaveBags(data) {
		return append(out, data...)
	}
	c, m, bracket := jsontext.Cursor{Data: data}, shape.MemberSet{Of: s}, data[0]
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
		out = WithoutBags(append(out, data[start:c.At]...), inner, c.Raw())
	}
	return append(out, bracket+2)
}

// memberShape is the shape of a member of an object; nil for its property bag, and what it does not
// have.
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
