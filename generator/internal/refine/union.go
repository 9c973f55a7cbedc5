package refine

import (
	"fmt"
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// unionOf remembers the branches of a union of objects. It is nil where a
// branch is no object, since then the branches do not say what is allowed, and
// where all branches say the same.
func (j *joiner) unionOf(branches []shape) *model.Union {
	u, known := &model.Union{Discriminator: j.discriminator(branches)}, map[string]bool{}
	for _, b := range branches {
		if b.form != formObject || b.additional != nil {
			return nil
		}
		c := j.caseOf(b, u.Discriminator)
		if text := textOf(c); !known[text] {
			known[text] = true
			u.Cases = append(u.Cases, c)
		}
	}
	if len(u.Cases) == 1 {
		return nil
	}
	return u
}

// discriminator finds the member that every branch has as an enum, with values
// that no other branch has.
func (j *joiner) discriminator(branches []shape) string {
	for _, m := range branches[0].members.all() {
		if j.isDiscriminator(branches, m.Name) {
			return m.Name
		}
	}
	return ""
}

func (j *joiner) isDiscriminator(branches []shape, name string) bool {
	var seen names
	for _, b := range branches {
		values := j.enumValues(b, name)
		if len(values) == 0 || slices.ContainsFunc(values, seen.has) {
			return false
		}
		seen.add(values...)
	}
	return true
}

func (j *joiner) enumValues(b shape, name string) []string {
	m := b.members.find(name)
	if m == nil {
		return nil
	}
	return j.values(m.Type)
}

// values are those of an enum that is not open, however it is put together; nil
// for any other type. It looks into no object, so that recursion ends.
func (j *joiner) values(t model.Type) []string {
	switch t := t.(type) {
	case *model.Enum:
		if t.Open {
			return nil
		}
		return t.Values
	case *model.Ref:
		values, ok := j.enums[t.Def]
		if !ok {
			j.enums[t.Def] = nil
			values = j.values(t.Def.Type)
			j.enums[t.Def] = values
		}
		return values
	case *model.OneOf:
		var out names
		for _, b := range t.Branches {
			values := j.values(b)
			if values == nil {
				return nil
			}
			out.add(values...)
		}
		return out.all()
	case *model.AllOf:
		var out names
		for _, p := range t.Parts {
			out.add(j.values(p)...)
		}
		return out.all()
	}
	return nil
}

// textOf is equal for equal cases.
func textOf(c model.Case) string { return fmt.Sprintf("%q", c) }

// caseOf is what one branch of a union says.
func (j *joiner) caseOf(b shape, discriminator string) model.Case {
	c := model.Case{Requires: slices.Clone(b.required.all())}
	if discriminator != "" {
		c.Values = j.enumValues(b, discriminator)
	}
	for _, m := range b.members.all() {
		c.Allows = append(c.Allows, m.Name)
	}
	return c
}
