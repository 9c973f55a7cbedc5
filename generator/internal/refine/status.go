package refine

import (
	"github.com/stratakube/strata/generator/internal/model"
)

// observe refines the status that some declarations describe. A resource that speaks
// Kubernetes always has one; that of others mirrors the spec where nothing describes it.
func (b *body) observe(declared []*model.Version) {
	var raw model.Type
	for _, d := range declared {
		raw = b.join(raw, d.Status, same)
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
}

// secrets marks what the declarations that the spec is not made of call secret.
func (u *unit) secrets(united *body) {
	for _, d := range u.others {
		m := marker{seen: map[[2]*model.Def]bool{}}
		m.typ(united.spec, u.body(d).spec)
	}
	for _, d := range model.Closure(united.spec) {
		d.Object().Offer()
	}
}

// marker walks a spec beside another one that knows what is secret.
type marker struct{ seen map[[2]*model.Def]bool }

func (m marker) typ(to, from model.Type) {
	switch to := to.(type) {
	case *model.List:
		if from, ok := from.(*model.List); ok {
			m.typ(to.Elem, from.Elem)
		}
	case *model.Map:
		if from, ok := from.(*model.Map); ok {
			m.typ(to.Elem, from.Elem)
		}
	case *model.Ref:
		if from, ok := from.(*model.Ref); ok {
			m.def(to.Def, from.Def)
		}
	}
}

func (m marker) def(to, from *model.Def) {
	pair := [2]*model.Def{to, from}
	if m.seen[pair] {
		return
	}
	m.seen[pair] = true
	for _, p := range to.Object().Properties {
		q := from.Object().Property(p.Name)
		if q == nil {
			continue
		}
		p.Secret = p.Secret || q.Secret
		m.typ(p.Type, q.Type)
	}
	m.typ(to.Object().Additional, from.Object().Additional)
}
