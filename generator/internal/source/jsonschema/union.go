package jsonschema

import (
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
)

// union appends the part of a oneOf or anyOf, if the schema has it.
func (c *Compiler) union(parts []Compiled, s *schema, list document.Location, use Use) []Compiled {
	if !list.Exists() {
		return parts
	}
	if use.Role == Joined {
		use.Role = Branch
	}
	return append(parts, c.choice(s, list, use))
}

// choice compiles oneOf or anyOf. It omits placeholders, null, and branches that allow nothing. If
// one branch is left, the result is that branch.
func (c *Compiler) choice(s *schema, list document.Location, use Use) Compiled {
	u, first := Compiled{}, Compiled{}
	var types []model.Type
	var placeholder model.Type
	for at := range c.schemas(list) {
		if t := c.dialect.Placeholder(at); t != nil {
			placeholder = t
			continue
		}
		if c.isFalse(at) {
			continue
		}
		b := c.Schema(at, use)
		u.Secret = u.Secret || b.Secret
		if b.Null {
			u.Null = true
			continue
		}
		b.Type = c.dialect.Branch(s.Location, at, use, b.Type)
		if len(types) == 0 {
			first = b
		} else {
			c.dialect.Discard(b)
		}
		types = append(types, b.Solid())
	}
	switch {
	case len(types) == 1:
		u.inherit(first)
	case len(types) > 1:
		c.dialect.Discard(first)
		u.Type, u.Null = Union(types), false
	case placeholder != nil:
		u.Type, u.Null = placeholder, false
	}
	return u
}
