package refine

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// merge unites two shapes that are both something.
func (j *joiner) merge(a, b shape, m mode) shape {
	switch {
	case a.form == formClash:
		return a
	case b.form == formClash:
		return b
	case a.form == formAny || b.form == formAny:
		return mergeAny(a, b)
	case a.form == formScalar && b.form == formScalar:
		return mergeScalars(a, b, m)
	case a.form == formList && b.form == formList:
		return shape{form: formList, elem: j.join(a.elem, b.elem, m), limits: sameLimits(a.limits, b.limits), facts: sameFacts(a.facts, b.facts)}
	case isObject(a.form) && isObject(b.form):
		return j.mergeObjects(a, b, m)
	}
	return clash(a.name() + " against " + b.name())
}

// mergeAny unites an untyped branch with another.
func mergeAny(a, b shape) shape {
	if b.form != formAny {
		a, b = b, a
	}
	if !isObject(a.form) {
		return shape{form: formAny, facts: sameFacts(a.facts, b.facts)}
	}
	a.additional, a.facts = &model.Any{}, sameFacts(a.facts, b.facts)
	a.required = nil
	return a
}

func mergeScalars(a, b shape, m mode) shape {
	if a.kind != b.kind {
		if isNumeric(a.kind) && isNumeric(b.kind) {
			return shape{form: formScalar, kind: model.Number}
		}
		return clash(a.name() + " against " + b.name())
	}
	a.facts = sameFacts(a.facts, b.facts)
	switch {
	case a.values != nil && b.values != nil:
		a.values, a.open = union(a.values, b.values), a.open || b.open
	case m == both && b.values != nil:
		a.values, a.open = b.values, b.open
	case m == both:
		a.limits = firstLimits(a.limits, b.limits)
	default:
		a.values, a.open, a.limits = nil, false, sameLimits(a.limits, b.limits)
	}
	return a
}

func isNumeric(k model.Kind) bool { return k == model.Int || k == model.Number }

func (j *joiner) mergeObjects(a, b shape, m mode) shape {
	out := shape{form: formMap, union: a.union, facts: sameFacts(a.facts, b.facts)}
	if out.union == nil {
		out.union = b.union
	}
	if a.form == formObject || b.form == formObject {
		out.form = formObject
	}
	out.additional = j.join(a.additional, b.additional, m)
	for _, p := range slices.Concat(a.members, b.members) {
		j.add(&out, p, m)
	}
	if m == both {
		out.required = union(a.required, b.required)
	} else {
		out.required = intersection(a.required, b.required)
	}
	return out
}

// add unites one more declaration of a member with those before.
func (j *joiner) add(s *shape, p *model.Property, m mode) {
	old := s.member(p.Name)
	if old == nil {
		s.members = append(s.members, copied(p))
		return
	}
	old.Type = j.join(old.Type, p.Type, m)
	if old.Doc == "" {
		old.Doc = p.Doc
	}
	old.Secret = old.Secret || p.Secret
	old.ReadOnly = old.ReadOnly && p.ReadOnly
	if old.Default != p.Default {
		old.Default = ""
	}
}

// sameLimits keeps the limits that two alternatives agree on: all or none.
func sameLimits(a, b *model.Limits) *model.Limits {
	if a == nil || b == nil || *a != *b {
		return nil
	}
	return a
}

// sameFacts keeps the facts that both have: all or none.
func sameFacts(a, b model.Facts) model.Facts {
	if !a.Equal(b) {
		return nil
	}
	return a
}

// firstLimits keeps the first of limits that hold at once.
func firstLimits(a, b *model.Limits) *model.Limits {
	if a == nil {
		return b
	}
	return a
}

// union appends to a what b has more, in order.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func intersection(a, b []string) []string {
	var out []string
	for _, s := range a {
		if slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}
