package arm

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// The limits of what references at the root of one resource may copy in.
const (
	inlineDepth = 50
	inlineSize  = 4 << 20 // bytes of schemas
)

// ref compiles a reference: to the definition, or at the root of a resource to
// a copy of what it leads to, so that the definition stays as it is.
func (c *compiler) ref(at place, r role) part {
	p := part{at: at}
	if at.node.Kind() != jsontree.String {
		c.fail(at.errorf("$ref must be a string, not %s", at.node.Kind()))
		return p
	}
	t := c.unit.resolve(at)
	switch {
	case t.scalar != nil:
		p.typ = t.scalar
	case !t.found():
		m := t.problem
		m.Pos = at.where()
		c.fail(m)
	case r == body:
		return c.inline(at, t)
	default:
		d := c.unit.define(t)
		c.owner.reach(d, c.inside == 0)
		p.typ = &model.Ref{Def: d.def}
	}
	return p
}

// inline compiles what a reference leads to in its place.
func (c *compiler) inline(at place, t *target) part {
	c.copied += len(t.node.Raw())
	switch {
	case slices.Contains(c.inlined, t.place):
		c.fail(at.errorf("the resource is made of itself, without end"))
		return part{at: at}
	case len(c.inlined) == inlineDepth || c.copied > inlineSize:
		c.overflow(at)
		return part{at: at}
	}
	c.inlined = append(c.inlined, t.place)
	p := c.schema(t.place, body)
	c.inlined = c.inlined[:len(c.inlined)-1]
	p.doc = ""
	return p
}

// overflow reports once that references copy too much into a resource.
func (c *compiler) overflow(at place) {
	if !c.overflown {
		c.overflown = true
		c.fail(at.errorf("the resource is made of too many references"))
	}
}
