package aso

import (
	"strconv"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// parser decodes values by their shapes.
type parser struct {
	// isASO means that ASO has stored the values: bags are removed, and so are members that the
	// shape does not have.
	isASO bool
}

// value decodes a value, and adds the entries that it removes to p.
func (r parser) value(data []byte, s *shape.Shape, p *pending) *node {
	s = pointee(s)
	if s.Foreign || len(data) == 0 {
		return &node{raw: data}
	}
	switch {
	case s.Kind == shape.Object && data[0] == '{':
		return r.object(data, s, p)
	case s.Kind == shape.Map && data[0] == '{' && descends(s.Elem):
		n := object(data)
		for i, m := range n.members {
			n.members[i].value = r.value(m.value.raw, s.Elem, p.member(m.name))
			p.tidy(m.name)
		}
		return n
	case s.Kind == shape.List && data[0] == '[' && descends(s.Elem):
		n := &node{kind: '['}
		for i, element := range jsontext.Elements(data) {
			name := indexName(i)
			n.list = append(n.list, r.value(element, s.Elem, p.member(name)))
			p.tidy(name)
		}
		return n
	}
	return &node{raw: data}
}

func (r parser) object(data []byte, s *shape.Shape, p *pending) *node {
	n := object(data)
	if r.isASO {
		n = r.known(n, s, p)
	}
	for i, m := range n.members {
		if of := memberShape(s, m.name); of != nil {
			n.members[i].value = r.value(m.value.raw, of, p.member(m.name))
			p.tidy(m.name)
		}
	}
	return n
}

// known returns the members of an object that its shape has.
func (r parser) known(all *node, s *shape.Shape, p *pending) *node {
	n := emptyObject()
	for _, m := range all.members {
		switch {
		case m.name == bagName:
			p.addBag(m.value.raw)
		case memberShape(s, m.name) == nil:
			p.entries = append(p.entries, entry{key: m.name, value: m.value.raw, isMember: true})
		default:
			n.set(m.name, m.value)
		}
	}
	return n
}

// memberShape returns the shape of an object's member; nil if it has none of that name.
func memberShape(s *shape.Shape, name string) *shape.Shape {
	if f := s.Member(name); f != nil {
		return f.Shape
	}
	if s.Additional != nil {
		return s.Additional.Shape
	}
	return nil
}

// pointee returns the shape behind pointers.
func pointee(s *shape.Shape) *shape.Shape {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	return s
}

// descends reports whether values of a shape can contain objects with members.
func descends(s *shape.Shape) bool {
	for s.Kind == shape.Pointer || s.Kind == shape.List || s.Kind == shape.Map {
		s = s.Elem
	}
	return s.Kind == shape.Object && !s.Foreign
}

// indexName returns the name of a list element in a path. Objects never look up such a name in
// lists.
func indexName(i int) string { return "[" + strconv.Itoa(i) + "]" }
