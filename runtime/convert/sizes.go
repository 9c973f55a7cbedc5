package convert

import (
	"strconv"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// sizes leads to the integers in a value of an API type whose Go types have another size than an
// int64. Storage types have int64 there.
type sizes struct {
	// of is the shape of such an integer, and nil for a value that contains some.
	of      *shape.Shape
	members map[string]*sizes
	// within leads into the elements of a list, and into the values of a map.
	within *sizes
}

// sizesOf returns nil if a shape leads to no such integer.
func sizesOf(s *shape.Shape) *sizes {
	m := sizesMaker{leads: map[*shape.Shape]bool{}, made: map[*shape.Shape]*sizes{}}
	for grown := true; grown; { // types may contain themselves
		grown, m.seen = false, map[*shape.Shape]bool{}
		m.find(s, &grown)
	}
	return m.make(s)
}

type sizesMaker struct {
	leads, seen map[*shape.Shape]bool
	made        map[*shape.Shape]*sizes
}

// find adds the shapes that lead to an integer to leads, and sets grown if it has added one.
func (m *sizesMaker) find(s *shape.Shape, grown *bool) bool {
	if m.seen[s] {
		return m.leads[s]
	}
	m.seen[s] = true
	leads := s.Whole
	switch s.Kind {
	case shape.Pointer, shape.List, shape.Map:
		leads = m.find(s.Elem, grown)
	case shape.Object:
		for i := range s.Fields {
			leads = m.find(s.Fields[i].Shape, grown) || leads
		}
	}
	if leads && !m.leads[s] {
		m.leads[s], *grown = true, true
	}
	return m.leads[s]
}

func (m *sizesMaker) make(s *shape.Shape) *sizes {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	if z, known := m.made[s]; known || !m.leads[s] {
		return z
	}
	z := &sizes{}
	m.made[s] = z
	switch s.Kind {
	case shape.List, shape.Map:
		z.within = m.make(s.Elem)
	case shape.Object:
		z.members = map[string]*sizes{}
		for i := range s.Fields {
			if inner := m.make(s.Fields[i].Shape); inner != nil {
				z.members[s.Fields[i].Name] = inner
			}
		}
	default:
		z.of = s
	}
	return z
}

// fit reports whether the types of all integers in the current value can represent them, and steps
// over the value. The value is JSON that conforms to the shape with an int64 for each integer.
func (z *sizes) fit(c *jsontext.Cursor) bool {
	switch {
	case z == nil:
		c.Raw()
	case z.of != nil:
		v, err := strconv.ParseInt(jsontext.Borrow(c.Raw()), 10, 64)
		return err == nil && z.of.HasWhole(v)
	case c.Peek() == '{':
		for c.Take('{'); c.More('}'); {
			inner := z.within
			if name := c.Name(); z.members != nil {
				inner = z.members[string(name)]
			}
			if !inner.fit(c) {
				return false
			}
		}
	case c.Peek() == '[':
		for c.Take('['); c.More(']'); {
			if !z.within.fit(c) {
				return false
			}
		}
	default:
		c.Raw()
	}
	return true
}
