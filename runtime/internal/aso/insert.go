package aso

import (
	"strings"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// fits reports whether an object of a shape may have a property for any of the entries.
func (p *pending) fits(s *shape.Shape) bool {
	s = pointee(s)
	for _, e := range p.entries {
		if s.Kind == shape.Object && fieldOf(s, e) != nil {
			return true
		}
	}
	for name, inner := range p.inner {
		if of := innerShape(s, name); of != nil && inner.fits(of) {
			return true
		}
	}
	return false
}

// innerShape returns the shape of a member or an element; nil if there is none.
func innerShape(s *shape.Shape, name string) *shape.Shape {
	switch s.Kind {
	case shape.Object:
		return memberShape(s, name)
	case shape.Map, shape.List:
		return s.Elem
	}
	return nil
}

// insert moves entries into a value that has properties of their names and types. Other entries
// stay in p, and existing values are not replaced. It reports whether it moved any.
func (p *pending) insert(n *node, s *shape.Shape) (inserted bool) {
	s = pointee(s)
	switch {
	case s.Kind == shape.List && n.kind == '[':
		for i, element := range n.list {
			if inner := p.inner[indexName(i)]; inner != nil {
				inserted = inner.insert(element, s.Elem) || inserted
				p.tidy(indexName(i))
			}
		}
		return inserted
	case n.kind != '{' || s.Kind != shape.Object && s.Kind != shape.Map:
		return false
	}
	if s.Kind == shape.Object {
		inserted = p.insertHere(n, s)
	}
	for _, name := range p.names() {
		if of, value := innerShape(s, name), n.get(name); of != nil && value != nil {
			inserted = p.inner[name].insert(value, of) || inserted
			p.tidy(name)
		}
	}
	return inserted
}

// insertHere moves entries of the object's own bag.
func (p *pending) insertHere(n *node, s *shape.Shape) (inserted bool) {
	var left []entry
	for _, e := range p.entries {
		f := fieldOf(s, e)
		if f == nil || n.get(f.Name) != nil {
			left = append(left, e)
			continue
		}
		inner := &pending{}
		value := e.decode(f.Shape, inner)
		if value == nil {
			left = append(left, e)
			continue
		}
		n.set(f.Name, value)
		if inserted = true; !inner.isEmpty() {
			p.member(f.Name).add(inner)
		}
	}
	p.entries = left
	return inserted
}

// fieldOf returns the property that an entry names, and nil if there is none, or several match.
// ASO's Go names are the JSON names with an upper-case first letter.
func fieldOf(s *shape.Shape, e entry) *shape.Field {
	if e.key == "" {
		return nil
	}
	if f := s.Member(strings.ToLower(e.key[:1]) + e.key[1:]); f != nil {
		return f
	}
	if f := s.Member(e.key); f != nil {
		return f
	}
	return fieldLike(s, e.key)
}

// maxTextDepth is the largest nesting depth of JSON in a bag. The JSON of ASO has less than ten
// levels.
const maxTextDepth = 256

// decode returns the value of an entry as a property of a shape, and nil if it does not have that
// type. It adds the entries of bags within the value to inner.
func (e entry) decode(s *shape.Shape, inner *pending) *node {
	s = pointee(s)
	text, ok := e.text()
	if !ok {
		return nil
	}
	if s.Kind == shape.Text && !s.Foreign && !e.isMember {
		return &node{raw: jsontext.AppendText(nil, string(text))}
	}
	c := jsontext.Cursor{Data: text}
	if first := c.Peek(); first == 'n' || first == 0 || !c.Skip(maxTextDepth) || c.Peek() != 0 || c.At != len(text) {
		return nil
	}
	text = jsontext.AppendCompact(nil, text)
	if !fitsKind(text, s) {
		return nil
	}
	return parser{isASO: true}.value(text, s, inner)
}

// text returns the string of an entry of a bag, or the JSON of a member.
func (e entry) text() ([]byte, bool) {
	if e.isMember {
		return e.value, true
	}
	if len(e.value) == 0 || e.value[0] != '"' {
		return nil, false
	}
	text := jsontext.Unquoted(e.value)
	return text, text != nil || len(e.value) == 2
}

// fitsKind reports whether JSON has the kind of a shape.
func fitsKind(text []byte, s *shape.Shape) bool {
	switch first := text[0]; s.Kind {
	case shape.Object, shape.Map:
		return first == '{'
	case shape.List:
		return first == '['
	case shape.Bool:
		return first == 't' || first == 'f'
	case shape.Integer:
		return jsontext.IsInteger(string(text))
	case shape.Number:
		return first == '-' || '0' <= first && first <= '9'
	case shape.Text:
		return first == '"'
	}
	return true
}
