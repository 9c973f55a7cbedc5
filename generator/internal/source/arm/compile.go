package arm

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// compiler makes types of schemas, for one definition.
type compiler struct {
	unit   *unit
	owner  *definition
	inside int // how many properties, elements and members deep

	// What references have copied into the root of a resource.
	inlined   []place // that are being compiled
	copied    int     // bytes of schemas
	overflown bool
}

// role is how a schema stands to those around it.
type role uint8

const (
	standing role = iota // for itself
	joined               // beside others that hold as well
	branch               // one of several, beside others that hold as well
	body                 // at the root of a resource
)

// part is what a schema says. The type is nil if it says nothing of one.
type part struct {
	typ      model.Type
	doc      string
	null     bool // only null is allowed
	at       place
	initial  jsontree.Node
	readOnly jsontree.Node
}

// solid gives the type, free JSON if there is none.
func (p part) solid() model.Type {
	if p.typ == nil {
		return &model.Any{}
	}
	return p.typ
}

// inherit takes over what a schema that has become this one says beside its
// type, where this one does not say it.
func (p *part) inherit(from part) {
	p.typ, p.null = from.typ, from.null
	if p.doc == "" {
		p.doc = from.doc
	}
	if !p.initial.Exists() {
		p.initial, p.at = from.initial, from.at
	}
	if !p.readOnly.Exists() {
		p.readOnly = from.readOnly
	}
}

func (c *compiler) fail(m diag.Message) { c.owner.problems = append(c.owner.problems, m) }

// typ is the type of a schema that stands for itself.
func (c *compiler) typ(at place) model.Type {
	p := c.schema(at, standing)
	c.discard(p)
	return p.solid()
}

// discard notes what a part says that only a property can keep.
func (c *compiler) discard(p part) {
	if p.initial.Exists() {
		c.note(p.at.at(p.initial), "default", "the keyword default is kept on properties only")
	}
	if p.readOnly.IsTrue() {
		c.note(p.at.at(p.readOnly), "readOnly", "the keyword readOnly is kept on properties only")
	}
}

// schema compiles any schema.
func (c *compiler) schema(at place, r role) part {
	switch at.node.Kind() {
	case jsontree.Object:
		s := c.keywords(at)
		return c.object(&s, r)
	case jsontree.Bool:
	default:
		c.fail(at.errorf("a schema must be an object, not %s", at.node.Kind()))
	}
	return part{at: at}
}

// object compiles a schema of keywords: what they say themselves, and what they
// combine.
func (c *compiler) object(s *schema, r role) part {
	p := part{at: s.place, doc: strings.TrimSpace(s.description.Text()), initial: s.initial, readOnly: s.readOnly}
	parts := c.parts(s, r)
	if len(parts) == 1 {
		p.inherit(parts[0])
		return p
	}
	var types []model.Type
	for _, q := range parts {
		c.discard(q)
		if q.typ != nil && !isEmpty(q.typ) {
			types = append(types, q.typ)
		}
	}
	switch len(types) {
	case 0:
		p.typ = emptied(parts)
	case 1:
		p.typ = types[0]
	default:
		p.typ = &model.AllOf{Parts: types}
	}
	return p
}

// parts gives what holds together in a schema, the own keywords first.
func (c *compiler) parts(s *schema, r role) []part {
	inner := r
	if s.combined() && r != body {
		inner = joined
	}
	parts := []part{c.own(s, inner)}
	if parts[0].typ == nil && !parts[0].null && s.combined() {
		parts = parts[:0]
	}
	if inner == joined && c.single(s, len(parts)) {
		inner = r
	}
	if s.ref.Exists() {
		parts = append(parts, c.ref(s.at(s.ref), r))
	}
	for _, q := range c.list(s.at(s.allOf)) {
		parts = append(parts, c.schema(q, inner))
	}
	for _, list := range [...]jsontree.Node{s.oneOf, s.anyOf} {
		if list.Exists() {
			parts = append(parts, c.union(s.at(list), inner))
		}
	}
	return parts
}

// single reports whether a schema has one part only, besides the own ones.
func (c *compiler) single(s *schema, own int) bool {
	n := own + s.allOf.Len()
	for _, keyword := range [...]jsontree.Node{s.ref, s.oneOf, s.anyOf} {
		if keyword.Exists() {
			n++
		}
	}
	return n == 1
}

// list gives the schemas of a combining keyword.
func (c *compiler) list(at place) []place {
	if !at.node.Exists() || !c.isList(at, "schemas") {
		return nil
	}
	var places []place
	for n := range at.node.All() {
		places = append(places, at.at(n))
	}
	if len(places) == 0 {
		c.fail(at.errorf("%s has no schemas", at.node.Name()))
	}
	return places
}

// isList checks the value of a keyword that lists something.
func (c *compiler) isList(at place, of string) bool {
	if at.node.Kind() == jsontree.Array {
		return true
	}
	c.fail(at.errorf("%s must be a list of %s, not %s", at.node.Name(), of, at.node.Kind()))
	return false
}

// isEmpty reports whether a type adds nothing to a conjunction.
func isEmpty(t model.Type) bool {
	o, ok := t.(*model.Object)
	return ok && len(o.Properties) == 0 && o.Additional == nil && len(o.Requires) == 0
}

// emptied is the type of a conjunction whose parts add nothing: an object
// without members if one of them is.
func emptied(parts []part) model.Type {
	for _, p := range parts {
		if p.typ != nil {
			return p.typ
		}
	}
	return nil
}
