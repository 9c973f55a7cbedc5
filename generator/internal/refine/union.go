package refine

import (
	"fmt"
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// unionOf returns the branches of a union of objects. It returns nil if a branch is not a closed
// object, since the branches then do not determine the allowed members. It also returns nil if
// all branches are equal.
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

// discriminator returns the member that is an enum in every branch and whose values no two
// branches share. It is empty if there is none.
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

// values returns the values of a closed enum, also of one combined of several; nil for any other
// type. It does not visit objects, so that recursion ends.
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

// textOf formats a case; equal cases have equal texts.
func textOf(c model.Case) string { return fmt.Sprintf("%q", c) }

// caseOf returns the case of one branch of a union.
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
