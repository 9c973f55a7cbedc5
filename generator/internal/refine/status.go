package refine

import (
	"github.com/stratakube/strata/generator/internal/model"
)

// observe refines the status that some declarations describe. A native resource always has one.
// The status of other resources mirrors the spec if no declaration describes it.
func (b *body) observe(declared ...*model.Version) {
	var raw model.Type
	for _, d := range declared {
		raw = b.join(raw, d.Status, same)
		b.budget.grow(d.Status)
	}
	switch {
	case !b.unit.resource.IsNative():
		b.suffix = model.StatusSuffix
	case raw == nil:
		raw = &model.Object{}
	}
	if raw != nil {
		b.status = b.root(raw, statusOf(b.unit.resource))
	}
	if b.status != nil && !b.unit.resource.IsNative() {
		w := walker{b.widen, map[[2]*model.Def]bool{}}
		w.typ(b.status, b.spec)
	}
}

// widen changes an integer of the status to a number if the spec has a number: a source may know
// only one numeric type.
func (b *body) widen(status, spec *model.Property) {
	if isWhole(status.Type) && wrapsNumber(spec.Type, status.Type) {
		status.Type = spec.Type
	}
}

// wrapsNumber reports whether two types have the same lists and maps, and the first contains
// numbers.
func wrapsNumber(t, like model.Type) bool {
	switch t := t.(type) {
	case *model.List:
		l, ok := like.(*model.List)
		return ok && wrapsNumber(t.Elem, l.Elem)
	case *model.Map:
		m, ok := like.(*model.Map)
		return ok && wrapsNumber(t.Elem, m.Elem)
	case *model.Scalar:
		return t.Kind == model.Number
	}
	return false
}

// isWhole reports whether a type contains integers, in any lists and maps.
func isWhole(t model.Type) bool {
	switch t := t.(type) {
	case *model.List:
		return isWhole(t.Elem)
	case *model.Map:
		return isWhole(t.Elem)
	case *model.Scalar:
		return t.Kind == model.Int
	}
	return false
}

// secrets marks the properties that the declarations of other kinds of sources mark as secret.
func (u *unit) secrets(united *body) {
	mark := func(p, q *model.Property) { p.Secret = p.Secret || q.Secret }
	for _, d := range u.others {
		if other := u.body(d).spec; other != nil {
			w := walker{mark, map[[2]*model.Def]bool{}}
			w.typ(united.spec, other)
		}
	}
	for _, d := range model.Closure(united.spec) {
		d.Object().Offer()
	}
}

// walker visits each property of a refined type together with the property at the same path in
// another type.
type walker struct {
	visit func(p, q *model.Property)
	seen  map[[2]*model.Def]bool
}

func (w walker) typ(a, b model.Type) {
	switch a := a.(type) {
	case *model.List:
		if b, ok := b.(*model.List); ok {
			w.typ(a.Elem, b.Elem)
		}
	case *model.Map:
		if b, ok := b.(*model.Map); ok {
			w.typ(a.Elem, b.Elem)
		}
	case *model.Ref:
		if b, ok := b.(*model.Ref); ok {
			w.def(a.Def, b.Def)
		}
	}
}

func (w walker) def(a, b *model.Def) {
	pair := [2]*model.Def{a, b}
	if w.seen[pair] {
		return
	}
	w.seen[pair] = true
	of := b.Object().Lookup()
	for _, p := range a.Object().Properties {
		if q := of(p.Name); q != nil {
			w.visit(p, q)
			w.typ(p.Type, q.Type)
		}
	}
	w.typ(a.Object().Additional, b.Object().Additional)
}
