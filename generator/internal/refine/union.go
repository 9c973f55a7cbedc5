package refine

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// unionOf remembers the branches of a union of objects. It is nil where a
// branch is no object, since then the branches do not say what is allowed.
func unionOf(branches []shape) *model.Union {
	for _, b := range branches {
		if b.form != formObject || b.additional != nil {
			return nil
		}
	}
	u := &model.Union{Discriminator: discriminator(branches)}
	for _, b := range branches {
		u.Cases = append(u.Cases, caseOf(b, u.Discriminator))
	}
	return u
}

// discriminator finds the member that every branch has as an enum, with values
// that no other branch has.
func discriminator(branches []shape) string {
	for _, m := range branches[0].members {
		if tells(branches, m.Name) {
			return m.Name
		}
	}
	return ""
}

func tells(branches []shape, name string) bool {
	var seen []string
	for _, b := range branches {
		values := enumValues(b, name)
		if len(values) == 0 || slices.ContainsFunc(values, func(v string) bool { return slices.Contains(seen, v) }) {
			return false
		}
		seen = append(seen, values...)
	}
	return true
}

func enumValues(b shape, name string) []string {
	m := b.member(name)
	if m == nil {
		return nil
	}
	s := shapeOf(m.Type, 0)
	if s.form != formScalar {
		return nil
	}
	return s.values
}

func caseOf(b shape, discriminator string) model.Case {
	c := model.Case{Requires: slices.Clone(b.required)}
	if discriminator != "" {
		c.Values = enumValues(b, discriminator)
	}
	for _, m := range b.members {
		c.Allows = append(c.Allows, m.Name)
	}
	return c
}
