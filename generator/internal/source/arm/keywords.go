package arm

import "github.com/stratakube/strata/generator/internal/syntax/jsontree"

// schema is an object of keywords, each at its node; those that are not there
// do not exist.
type schema struct {
	place
	ref, typ, enum, constant                     jsontree.Node
	properties, patterns, additional, required   jsontree.Node
	items, additionalItems                       jsontree.Node
	allOf, oneOf, anyOf                          jsontree.Node
	description, initial /* default */, readOnly jsontree.Node
	limits                                       [limitCount]jsontree.Node
}

// keywords sorts the members of a schema. Only here names are keywords: the
// members of properties are not passed through it.
func (c *compiler) keywords(at place) schema {
	c.once(at)
	s := schema{place: at}
	for m := range at.node.All() {
		c.keyword(&s, m)
	}
	c.expect(at.at(s.description), jsontree.String)
	c.expect(at.at(s.readOnly), jsontree.Bool)
	return s
}

func (c *compiler) keyword(s *schema, m jsontree.Node) {
	switch name := m.Name(); name {
	case "$ref":
		s.ref = m
	case "type":
		s.typ = m
	case "enum":
		s.enum = m
	case "const":
		s.constant = m
	case "properties":
		s.properties = m
	case "patternProperties":
		s.patterns = m
	case "additionalProperties":
		s.additional = m
	case "required":
		s.required = m
	case "items":
		s.items = m
	case "additionalItems":
		s.additionalItems = m
	case "allOf":
		s.allOf = m
	case "oneOf":
		s.oneOf = m
	case "anyOf":
		s.anyOf = m
	case "description":
		s.description = m
	case "default":
		s.initial = m
	case "readOnly":
		s.readOnly = m
	case "title", "$comment", "example", "examples", "$schema", "id", "$id", "definitions", "$defs":
	default:
		if limit, ok := limitNames[name]; ok {
			s.limits[limit] = m
		} else {
			c.note(s.at(m), name, "the keyword %s cannot be said by the model and is left out", name)
		}
	}
}

// expect makes a keyword of another kind an error.
func (c *compiler) expect(at place, kind jsontree.Kind) {
	if at.node.Exists() && at.node.Kind() != kind {
		c.fail(at.errorf("%s must be %s, not %s", at.node.Name(), kind, at.node.Kind()))
	}
}

// combined reports whether a schema is made of other schemas besides its own
// keywords.
func (s *schema) combined() bool {
	return s.ref.Exists() || s.allOf.Exists() || s.oneOf.Exists() || s.anyOf.Exists()
}

// once makes an object that names a member twice an error.
func (c *compiler) once(at place) {
	for _, m := range at.node.Doubled() {
		c.fail(doubled(at.at(m)))
		c.unit.doubled[m] = true
	}
}
