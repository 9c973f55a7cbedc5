package arm

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// The limits of what references at the root of one resource may copy.
const (
	inlineDepth = 50
	inlineSize  = 4 << 20 // bytes of schemas
)

// ref compiles a reference as a reference to the definition. At the root of a resource it copies
// the target instead, so that the definition stays unchanged.
func (c *compiler) ref(at location, r role) part {
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

// inline compiles the target of a reference in its location.
func (c *compiler) inline(at location, t *target) part {
	c.copied += len(t.node.Raw())
	switch {
	case slices.Contains(c.inlined, t.location):
		c.fail(at.errorf("the resource contains itself without end"))
		return part{at: at}
	case len(c.inlined) == inlineDepth || c.copied > inlineSize:
		c.overflow(at)
		return part{at: at}
	}
	c.inlined = append(c.inlined, t.location)
	p := c.schema(t.location, body)
	c.inlined = c.inlined[:len(c.inlined)-1]
	p.doc = ""
	return p
}

// overflow reports, once, that references copy too much into a resource.
func (c *compiler) overflow(at location) {
	if !c.overflown {
		c.overflown = true
		c.fail(at.errorf("the resource is made of too many references"))
	}
}
