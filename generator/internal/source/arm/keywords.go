package arm

import "github.com/stratakube/strata/generator/internal/syntax/jsontree"

// schema has a node for each keyword of an object; missing ones do not exist.
type schema struct {
	location
	ref, typ, enum, constant                     jsontree.Node
	properties, patterns, additional, required   jsontree.Node
	items, additionalItems                       jsontree.Node
	allOf, oneOf, anyOf                          jsontree.Node
	description, initial /* default */, readOnly jsontree.Node
	limits                                       [limitCount]jsontree.Node
}

// keywords reads the members of a schema as keywords. It is not called for the members of
// properties, whose names are not keywords.
func (c *compiler) keywords(at location) schema {
	c.once(at)
	s := schema{location: at}
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
			c.note(s.at(m), name, "the keyword %s cannot be represented by the model and is ignored", name)
		}
	}
}

// expect reports a keyword whose value is of another kind.
func (c *compiler) expect(at location, kind jsontree.Kind) {
	if at.node.Exists() && at.node.Kind() != kind {
		c.fail(at.errorf("%s must be %s, not %s", at.node.Name(), kind, at.node.Kind()))
	}
}

// combined reports whether a schema combines other schemas beside its own keywords.
func (s *schema) combined() bool {
	return s.ref.Exists() || s.allOf.Exists() || s.oneOf.Exists() || s.anyOf.Exists()
}

// once reports an object with two members of one name.
func (c *compiler) once(at location) {
	for _, m := range at.node.Doubled() {
		c.fail(doubled(at.at(m)))
		c.unit.doubled[m] = true
	}
}
