package arm

import (
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// members compiles a schema as an object. With declared properties it is an object, closed unless
// the schema says otherwise. Without them it is a map. The result is nil if the schema only states
// that it is an object, and others that hold together with it state which.
func (c *compiler) members(s *schema, r role) model.Type {
	o := &model.Object{}
	required := c.requires(s, r)
	c.properties(s, o, required, r)
	o.Requires = required.rest()
	o.Additional = c.additional(s)
	switch {
	case r == body || len(o.Properties) > 0 || s.properties.Exists() && o.Additional == nil:
		return o
	case len(o.Requires) > 0:
		if o.Additional == nil && r == standing && !s.additional.Exists() {
			o.Additional = &model.Any{}
		}
		return o
	case o.Additional != nil:
		return &model.Map{Elem: o.Additional}
	case s.additional.Exists() && r != joined, r == branch:
		return o
	case r == joined:
		return nil
	}
	return &model.Map{Elem: &model.Any{}}
}

func (c *compiler) properties(s *schema, o *model.Object, required *required, r role) {
	if !c.isObject(s.at(s.properties)) {
		return
	}
	for m := range s.properties.All() {
		if r == body && s.doc.leavesOut(m.Name()) {
			continue
		}
		if at := s.at(m); !c.isFalse(at) {
			o.Properties = append(o.Properties, c.property(at, required.take(m.Name())))
		}
	}
}

func (c *compiler) property(at location, required bool) *model.Property {
	c.inside++
	p := c.schema(at, standing)
	c.inside--
	if p.null {
		c.note(at, "null", "null is the only value; it becomes free JSON")
	}
	q := &model.Property{
		Name: at.node.Name(), Doc: p.doc, Type: p.solid(), Required: required,
		ReadOnly: p.readOnly.IsTrue(), Pos: at.pos(),
	}
	if p.initial.Kind() != jsontree.Null {
		q.Default = plaintext.JSON(p.initial.Compact())
	}
	return q
}

// isObject checks that the value of a keyword is an object of schemas. It returns false also if the
// keyword is missing.
func (c *compiler) isObject(at location) bool {
	switch at.node.Kind() {
	case jsontree.Absent:
		return false
	case jsontree.Object:
		c.once(at)
		return true
	default:
		c.fail(at.errorf("%s must be an object of schemas, not %s", at.node.Name(), at.node.Kind()))
		return false
	}
}

// isFalse reports whether a schema is the boolean false, which allows nothing.
func (c *compiler) isFalse(at location) bool {
	if at.node.Kind() != jsontree.Bool || at.node.IsTrue() {
		return false
	}
	c.note(at, "false", "a schema that allows nothing is ignored")
	return true
}

// additional returns the type of members that are not declared; nil if there are none.
func (c *compiler) additional(s *schema) model.Type {
	c.inside++
	defer func() { c.inside-- }()
	types := c.patterns(s)
	switch s.additional.Kind() {
	case jsontree.Absent:
	case jsontree.Bool:
		if s.additional.IsTrue() {
			types = append(types, &model.Any{})
		}
	default:
		types = append(types, c.typ(s.at(s.additional)))
	}
	return oneOf(types)
}

// patterns returns the types of members whose names match patterns.
func (c *compiler) patterns(s *schema) []model.Type {
	if !c.isObject(s.at(s.patterns)) {
		return nil
	}
	c.note(s.at(s.patterns), "patternProperties", "the patterns of patternProperties cannot be represented by the model and are ignored")
	var types []model.Type
	for m := range s.patterns.All() {
		if at := s.at(m); !c.isFalse(at) {
			types = append(types, c.typ(at))
		}
	}
	return types
}

// elements returns the type of a list's elements. The list form of items, with a schema for each
// position, becomes a union.
func (c *compiler) elements(s *schema) model.Type {
	c.inside++
	defer func() { c.inside-- }()
	switch {
	case !s.items.Exists() || c.isFalse(s.at(s.items)):
		return &model.Any{}
	case s.items.Kind() != jsontree.Array:
		if s.additionalItems.Exists() {
			c.unused(s.at(s.additionalItems))
		}
		return c.typ(s.at(s.items))
	}
	return c.positions(s)
}

func (c *compiler) positions(s *schema) model.Type {
	c.note(s.at(s.items), "items", "items with a schema for each position: the model has one type for all elements")
	var types []model.Type
	for _, at := range c.list(s.at(s.items)) {
		types = append(types, c.typ(at))
	}
	switch more := s.additionalItems; {
	case more.Kind() == jsontree.Object:
		types = append(types, c.typ(s.at(more)))
	case more.Kind() != jsontree.Bool || more.IsTrue():
		types = append(types, &model.Any{})
	}
	return oneOf(types)
}
