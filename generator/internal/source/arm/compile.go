package arm

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// compiler compiles schemas to types, for one definition.
type compiler struct {
	unit   *unit
	owner  *definition
	inside int // depth of properties, elements and members

	// What references have copied into the root of a resource.
	inlined   []location // being compiled
	copied    int        // bytes of copied schemas
	overflown bool
}

// role is the relation of a schema to the schemas around it.
type role uint8

const (
	standing role = iota // stands alone
	joined               // holds together with others
	branch               // one of several, which hold together with others
	body                 // the root of a resource
)

// part is the result of compiling a schema. The type is nil if the schema states none.
type part struct {
	typ      model.Type
	doc      string
	null     bool // allows null only
	at       location
	initial  jsontree.Node
	readOnly jsontree.Node
}

// solid returns the type, or free JSON if there is none.
func (p part) solid() model.Type {
	if p.typ == nil {
		return &model.Any{}
	}
	return p.typ
}

// inherit adds the keywords beside the type of a schema that was merged into this one, where this
// one lacks them.
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

// typ returns the type of a schema that stands alone.
func (c *compiler) typ(at location) model.Type {
	p := c.schema(at, standing)
	c.discard(p)
	return p.solid()
}

// discard adds notes for keywords of a part that only a property can have.
func (c *compiler) discard(p part) {
	if p.initial.Exists() {
		c.note(p.at.at(p.initial), "default", "the keyword default has a meaning on properties only")
	}
	if p.readOnly.IsTrue() {
		c.note(p.at.at(p.readOnly), "readOnly", "the keyword readOnly has a meaning on properties only")
	}
}

// schema compiles any schema.
func (c *compiler) schema(at location, r role) part {
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

// object compiles a schema of keywords: its own, and those that combine other schemas.
func (c *compiler) object(s *schema, r role) part {
	p := part{at: s.location, doc: strings.TrimSpace(s.description.Text()), initial: s.initial, readOnly: s.readOnly}
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

// parts returns the parts of a schema that hold together, its own keywords first.
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

// single reports whether a schema has only one part besides its own keywords.
func (c *compiler) single(s *schema, own int) bool {
	n := own + s.allOf.Len()
	for _, keyword := range [...]jsontree.Node{s.ref, s.oneOf, s.anyOf} {
		if keyword.Exists() {
			n++
		}
	}
	return n == 1
}

// list returns the schemas of a combining keyword.
func (c *compiler) list(at location) []location {
	if !at.node.Exists() || !c.isList(at, "schemas") {
		return nil
	}
	var locations []location
	for n := range at.node.All() {
		locations = append(locations, at.at(n))
	}
	if len(locations) == 0 {
		c.fail(at.errorf("%s has no schemas", at.node.Name()))
	}
	return locations
}

// isList checks that the value of a keyword is a list.
func (c *compiler) isList(at location, of string) bool {
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

// emptied returns the type of a conjunction whose parts add nothing: an object without members, if
// one of them is that.
func emptied(parts []part) model.Type {
	for _, p := range parts {
		if p.typ != nil {
			return p.typ
		}
	}
	return nil
}
