package refine

import (
	"cmp"

	"github.com/stratakube/strata/generator/internal/model"
)

// merge combines two shapes, neither of which is empty.
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
		out := shape{form: formList, limits: sameLimits(a.limits, b.limits), facts: sameFacts(a.facts, b.facts), merging: a.merging.begun()}
		out.elem = j.grow(out.merging, a.elem, b.elem, m)
		return out
	case isObject(a.form) && isObject(b.form):
		return j.mergeObjects(a, b, m)
	}
	return clash(a.name() + " against " + b.name())
}

// mergeAny combines an untyped branch with another.
func mergeAny(a, b shape) shape {
	if b.form != formAny {
		a, b = b, a
	}
	if !isObject(a.form) {
		return shape{form: formAny, facts: sameFacts(a.facts, b.facts)}
	}
	a.additional, a.facts = &model.Any{}, sameFacts(a.facts, b.facts)
	a.required = &names{}
	return a
}

func mergeScalars(a, b shape, m mode) shape {
	if a.kind != b.kind {
		if isNumeric(a.kind) && isNumeric(b.kind) {
			return shape{form: formScalar, kind: model.Number}
		}
		return clash(a.name() + " against " + b.name())
	}
	a.facts = model.MergeDeprecatedValues(a.facts, b.facts)
	switch {
	case a.values != nil && b.values != nil:
		if a.merging == nil {
			a.values = a.values.clone()
		}
		a.merging = a.merging.begun()
		a.values.add(b.values.all()...)
		a.open = a.open || b.open
	case m == both && b.values != nil:
		a.values, a.open, a.merging = b.values, b.open, nil
	case m == both:
		a.limits = firstLimits(a.limits, b.limits)
	default:
		a.values, a.open, a.limits = nil, false, sameLimits(a.limits, b.limits)
		a.facts = a.facts.Without(model.DeprecatedValues)
	}
	return a
}

func isNumeric(k model.Kind) bool { return k == model.Int || k == model.Number }

// mergeObjects adds the members of b to those of a. The result of an earlier merge is extended,
// so that merging many shapes takes linear time.
func (j *joiner) mergeObjects(a, b shape, m mode) shape {
	out := a
	out.merging = a.merging.begun()
	if a.merging == nil {
		out.members, out.required = &members{}, a.required.clone()
		for _, p := range a.members.all() {
			j.add(out, p, m)
		}
	}
	out.facts = sameFacts(a.facts, b.facts)
	if out.union == nil {
		out.union = b.union
	}
	if b.form == formObject {
		out.form = formObject
	}
	out.additional = j.grow(out.merging, a.additional, b.additional, m)
	for _, p := range b.members.all() {
		j.add(out, p, m)
	}
	if m == both {
		out.required.add(b.required.all()...)
	} else {
		out.required.keep(b.required)
	}
	return out
}

// add adds one more declaration of a member, and merges it with earlier ones.
func (j *joiner) add(s shape, p *model.Property, m mode) {
	old := s.members.find(p.Name)
	if old == nil {
		s.members.add(p)
		return
	}
	old.Type = j.grow(s.merging, old.Type, p.Type, m)
	if old.Doc == "" {
		old.Doc = p.Doc
	}
	old.Secret = old.Secret || p.Secret
	old.Nullable = old.Nullable || p.Nullable
	old.Deprecated = cmp.Or(old.Deprecated, p.Deprecated)
	old.ReadOnly = old.ReadOnly && p.ReadOnly
	if old.Default != p.Default {
		old.Default = ""
	}
}

// sameLimits returns the limits if both alternatives have the same, else nil.
func sameLimits(a, b *model.Limits) *model.Limits {
	if a == nil || b == nil || *a != *b {
		return nil
	}
	return a
}

// sameFacts returns the facts if both have the same, else nil. Keywords that only comparisons read
// are stored if one of both has them.
func sameFacts(a, b model.Facts) model.Facts {
	if a.Equal(b) {
		return a
	}
	x, y := a.Without(model.Unrepresented), b.Without(model.Unrepresented)
	if len(x) == len(a) && len(y) == len(b) {
		return nil
	}
	more := append(a.Only(model.Unrepresented), b.Only(model.Unrepresented)...)[:1]
	if x.Equal(y) {
		return append(x, more...)
	}
	return more
}

// firstLimits returns the first limits that are set, for types that apply both.
func firstLimits(a, b *model.Limits) *model.Limits {
	if a == nil {
		return b
	}
	return a
}
