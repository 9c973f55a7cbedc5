package refine

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// form is what a value is on the wire.
type form uint8

const (
	formNone   form = iota // nothing known: an empty conjunction
	formAny                // the schema itself says nothing
	formScalar             // one kind of scalar
	formList
	formMap    // an object without declared members
	formObject // an object with declared members
	formClash  // forms that cannot be merged
)

func (f form) String() string {
	return [...]string{"nothing", "anything", "scalar", "list", "map", "object", "conflict"}[f]
}

// shape is a raw type seen from above: what it is, without looking into its
// members. Members and elements stay raw, so that recursion ends here.
type shape struct {
	form       form
	kind       model.Kind
	values     []string // the enum's values; nil for a plain scalar
	limits     *model.Limits
	elem       model.Type // of a list
	additional model.Type // of a map or an open object
	members    []*member
	required   []string
	union      *model.Union
	clash      string // what could not be merged with what
}

// member is one property, with what all parts of the shape say of it.
type member struct {
	model.Property
}

func (s *shape) member(name string) *member {
	for _, m := range s.members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// maxAlias bounds chains of references that lead to references.
const maxAlias = 100

// shapeOf looks at a raw type from above.
func shapeOf(t model.Type, depth int) shape {
	if depth > maxAlias {
		return shape{form: formClash, clash: "a reference that leads back to itself"}
	}
	switch t := t.(type) {
	case *model.Ref:
		return shapeOf(t.Def.Type, depth+1)
	case *model.Scalar:
		return shape{form: formScalar, kind: t.Kind, limits: t.Limits}
	case *model.Enum:
		return shape{form: formScalar, kind: t.Base, values: t.Values}
	case *model.List:
		return shape{form: formList, elem: t.Elem, limits: t.Limits}
	case *model.Map:
		return shape{form: formMap, additional: t.Elem}
	case *model.Object:
		return objectShape(t)
	case *model.OneOf:
		return alternative(t.Branches, depth)
	case *model.AllOf:
		return conjunction(t.Parts, depth)
	case *model.Any:
		if t.Reason != "" {
			return shape{form: formClash, clash: t.Reason}
		}
	}
	return shape{form: formAny}
}

func objectShape(o *model.Object) shape {
	s := shape{form: formObject, additional: o.Additional, required: slices.Clone(o.Requires), union: o.Union}
	for _, p := range o.Properties {
		s.members = append(s.members, &member{*p})
		if p.Required {
			s.required = append(s.required, p.Name)
		}
	}
	return s
}

// conjunction merges parts that hold all at once: members add up, a part that
// says nothing is neutral, and an enum narrows a plain scalar.
func conjunction(parts []model.Type, depth int) shape {
	var out shape
	for _, t := range parts {
		s := shapeOf(t, depth+1)
		switch {
		case s.form == formNone || s.form == formAny && out.form != formNone:
		case out.form == formNone || out.form == formAny:
			s.required = union(out.required, s.required)
			out = s
		default:
			out = merge(out, s, true)
		}
	}
	return out
}

// alternative merges branches of which one holds: a member is required if all
// branches require it, a plain scalar swallows enums, and an untyped branch
// beside objects opens the object.
func alternative(branches []model.Type, depth int) shape {
	var out shape
	shapes := make([]shape, 0, len(branches))
	for _, t := range branches {
		s := shapeOf(t, depth+1)
		shapes = append(shapes, s)
		if out.form == formNone {
			out = s
		} else {
			out = merge(out, s, false)
		}
	}
	if out.form == formObject && len(shapes) > 1 {
		out.union = unionOf(shapes)
	}
	return out
}

// merge unites two shapes that are both something.
func merge(a, b shape, all bool) shape {
	switch {
	case a.form == formClash:
		return a
	case b.form == formClash:
		return b
	case a.form == formAny || b.form == formAny:
		return mergeAny(a, b)
	case a.form == formScalar && b.form == formScalar:
		return mergeScalars(a, b, all)
	case a.form == formList && b.form == formList:
		return shape{form: formList, elem: join(a.elem, b.elem, all), limits: sameLimits(a.limits, b.limits)}
	case isObject(a.form) && isObject(b.form):
		return mergeObjects(a, b, all)
	}
	return shape{form: formClash, clash: a.name() + " against " + b.name()}
}

func isObject(f form) bool { return f == formMap || f == formObject }

// name says what a shape is, for messages.
func (s shape) name() string {
	if s.form == formScalar {
		return s.kind.String()
	}
	return s.form.String()
}

// mergeAny unites an untyped branch with another.
func mergeAny(a, b shape) shape {
	if b.form != formAny {
		a, b = b, a
	}
	if !isObject(a.form) {
		return shape{form: formAny}
	}
	a.additional = &model.Any{}
	a.required = nil
	return a
}

func mergeScalars(a, b shape, all bool) shape {
	if a.kind != b.kind {
		if isNumeric(a.kind) && isNumeric(b.kind) {
			return shape{form: formScalar, kind: model.Number}
		}
		return shape{form: formClash, clash: a.name() + " against " + b.name()}
	}
	switch {
	case a.values != nil && b.values != nil:
		a.values = union(a.values, b.values)
	case all && b.values != nil:
		a.values = b.values
	case all:
		a.limits = bothLimits(a.limits, b.limits)
	default:
		a.values, a.limits = nil, sameLimits(a.limits, b.limits)
	}
	return a
}

func isNumeric(k model.Kind) bool { return k == model.Int || k == model.Number }

func mergeObjects(a, b shape, all bool) shape {
	out := shape{form: formMap, union: firstUnion(a.union, b.union)}
	if a.form == formObject || b.form == formObject {
		out.form = formObject
	}
	out.additional = join(a.additional, b.additional, all)
	for _, m := range a.members {
		c := *m
		out.members = append(out.members, &c)
	}
	for _, m := range b.members {
		out.add(m, all)
	}
	if all {
		out.required = union(a.required, b.required)
	} else {
		out.required = intersection(a.required, b.required)
	}
	return out
}

func firstUnion(a, b *model.Union) *model.Union {
	if a != nil {
		return a
	}
	return b
}

// add unites one more declaration of a member with those before.
func (s *shape) add(m *member, all bool) {
	old := s.member(m.Name)
	if old == nil {
		c := *m
		s.members = append(s.members, &c)
		return
	}
	old.Type = join(old.Type, m.Type, all)
	if old.Doc == "" {
		old.Doc = m.Doc
	}
	old.Secret = old.Secret || m.Secret
	old.ReadOnly = old.ReadOnly && m.ReadOnly
	if old.Default != m.Default {
		old.Default = ""
	}
}

// join combines two raw types into one raw type.
func join(a, b model.Type, all bool) model.Type {
	switch {
	case a == nil:
		return b
	case b == nil || sameType(a, b):
		return a
	case all:
		return &model.AllOf{Parts: append(parts(a), parts(b)...)}
	}
	out := branches(a)
	for _, t := range branches(b) {
		if !slices.ContainsFunc(out, func(u model.Type) bool { return sameType(t, u) }) {
			out = append(out, t)
		}
	}
	return &model.OneOf{Branches: out}
}

func parts(t model.Type) []model.Type {
	if all, ok := t.(*model.AllOf); ok {
		return slices.Clone(all.Parts)
	}
	return []model.Type{t}
}

func branches(t model.Type) []model.Type {
	if one, ok := t.(*model.OneOf); ok {
		return slices.Clone(one.Branches)
	}
	return []model.Type{t}
}

// sameType tells whether two raw types are the same without looking deep:
// the same definition, the same declaration, or the same plain scalar.
func sameType(a, b model.Type) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *model.Ref:
		b, ok := b.(*model.Ref)
		return ok && a.Def == b.Def
	case *model.Scalar:
		b, ok := b.(*model.Scalar)
		return ok && a.Kind == b.Kind && sameLimits(a.Limits, b.Limits) == a.Limits
	case *model.Enum:
		b, ok := b.(*model.Enum)
		return ok && a.Base == b.Base && slices.Equal(a.Values, b.Values)
	case *model.Any:
		b, ok := b.(*model.Any)
		return ok && *a == *b
	case *model.List:
		b, ok := b.(*model.List)
		return ok && sameType(a.Elem, b.Elem)
	case *model.Map:
		b, ok := b.(*model.Map)
		return ok && sameType(a.Elem, b.Elem)
	}
	return false
}

// sameLimits keeps the limits that two alternatives agree on: all or none.
func sameLimits(a, b *model.Limits) *model.Limits {
	if a == nil || b == nil || *a != *b {
		return nil
	}
	return a
}

// bothLimits combines limits that hold at once; the first that speaks of a
// thing stands.
func bothLimits(a, b *model.Limits) *model.Limits {
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
