package jsonschema

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// schema has the location of each keyword of an object; missing ones do not exist.
type schema struct {
	document.Location
	ref, typ, enum, constant                     document.Location
	properties, patterns, additional, required   document.Location
	items, additionalItems                       document.Location
	allOf, oneOf, anyOf                          document.Location
	description, initial /* default */, readOnly document.Location
	limits                                       [limitCount]document.Location
	// mayLimit is set if the schema has keywords of limits.
	mayLimit bool
}

// read reads the members of a schema as keywords into s, which is large and therefore not copied.
// It is not called for the members of properties, whose names are not keywords.
func (c *Compiler) read(at document.Location, s *schema) {
	c.once(at)
	s.Location = at
	for m := range at.All() {
		name := m.Name()
		keyword := s.keyword(name)
		if keyword == nil || slices.Contains(c.vocabulary.Without, name) {
			c.dialect.Keyword(m)
			continue
		}
		*keyword = m
	}
	c.expect(s.description, syntax.String)
	c.expect(s.readOnly, syntax.Bool)
}

// keyword returns the field of a keyword, or nil.
func (s *schema) keyword(name string) *document.Location {
	switch name {
	case "$ref":
		return &s.ref
	case "type":
		return &s.typ
	case "enum":
		return &s.enum
	case "const":
		return &s.constant
	case "properties":
		return &s.properties
	case "patternProperties":
		return &s.patterns
	case "additionalProperties":
		return &s.additional
	case "required":
		return &s.required
	case "items":
		return &s.items
	case "additionalItems":
		return &s.additionalItems
	case "allOf":
		return &s.allOf
	case "oneOf":
		return &s.oneOf
	case "anyOf":
		return &s.anyOf
	case "description":
		return &s.description
	case "default":
		return &s.initial
	case "readOnly":
		return &s.readOnly
	}
	if limit, ok := limitNames[name]; ok {
		s.mayLimit = true
		return &s.limits[limit]
	}
	return nil
}

// expect reports a keyword whose value is of another kind.
func (c *Compiler) expect(at document.Location, kind syntax.Kind) {
	if at.Exists() && at.Kind() != kind {
		c.Fail(at.Errorf("%s must be %s, not %s", at.Name(), kind, at.Kind()))
	}
}

// combined returns the number of schemas that a schema combines, beside its own keywords. A union
// counts as one.
func (s *schema) combined() int {
	n := s.allOf.Len()
	if s.allOf.Exists() && n == 0 {
		n = 2 // an error, which conjuncts reports
	}
	for _, keyword := range [...]*document.Location{&s.ref, &s.oneOf, &s.anyOf} {
		if keyword.Exists() {
			n++
		}
	}
	return n
}

// states reports whether a schema has keywords of its own that determine a type.
func (s *schema) states() bool {
	if s.typ.Exists() || s.enum.Exists() || s.constant.Exists() {
		return true
	}
	for _, at := range s.shapes() {
		if at.Exists() {
			return true
		}
	}
	return s.mayLimit && slices.ContainsFunc(s.limits[:], document.Location.Exists)
}

// once reports an object with two members of one name.
func (c *Compiler) once(at document.Location) {
	for _, m := range at.Doubled() {
		c.Fail(m.Twice())
		c.doubled[m] = true
	}
}

// IsReported reports whether a second member of a name was reported.
func (c *Compiler) IsReported(m document.Location) bool { return c.doubled[m] }
