package arm

import (
	"github.com/stratakube/strata/generator/internal/model"
)

// expressionDepth is how many definitions and unions isExpression follows.
const expressionDepth = 4

// union compiles oneOf or anyOf. It omits the template expression, null, and branches that allow
// nothing. If one branch is left, the result is that branch.
func (c *compiler) union(list location, r role) part {
	u := part{at: list}
	var branches []part
	expression := false
	for _, at := range c.list(list) {
		if c.isExpression(at, expressionDepth) {
			expression = true
			continue
		}
		if c.isFalse(at) {
			continue
		}
		if b := c.schema(at, branchRole(r)); b.null {
			u.null = true
		} else {
			branches = append(branches, b)
		}
	}
	switch {
	case len(branches) == 1:
		u.inherit(branches[0])
	case len(branches) > 1:
		u.typ, u.null = c.alternatives(branches), false
	case expression:
		u.typ, u.null = &model.Scalar{Kind: model.String}, false
	}
	return u
}

func branchRole(r role) role {
	if r == joined {
		return branch
	}
	return r
}

func (c *compiler) alternatives(branches []part) model.Type {
	var types []model.Type
	for _, b := range branches {
		c.discard(b)
		types = append(types, b.solid())
	}
	return oneOf(types)
}
