package model

import "slices"

// A copier copies the type of a definition. The references in the copy are resolved later, by the
// linker.
type copier struct {
	*linker
	of *locatedDef
}

func (c copier) copy(t Type) Type {
	switch t := t.(type) {
	case *Scalar:
		return c.store.scalars.add(Scalar{t.Kind, c.limits(t.Limits), slices.Clone(t.Facts)})
	case *Enum:
		return &Enum{t.Base, slices.Clone(t.Values), t.Open, slices.Clone(t.Facts)}
	case *Any:
		return &Any{t.Reason, slices.Clone(t.Facts)}
	case *List:
		return &List{c.copy(t.Elem), c.limits(t.Limits), slices.Clone(t.Facts)}
	case *Map:
		return &Map{c.copy(t.Elem), slices.Clone(t.Facts)}
	case *Object:
		return c.object(t)
	case *OneOf:
		return &OneOf{c.all(t.Branches)}
	case *AllOf:
		return &AllOf{c.all(t.Parts)}
	case *Ref:
		return c.ref(t)
	}
	return nil
}

func (c copier) ref(r *Ref) *Ref {
	to := c.store.refs.add(Ref{})
	if r.Def != nil {
		c.refs = append(c.refs, pendingRef{to, r.Def.Name, c.of.at, c.of})
	}
	return to
}

func (c copier) all(types []Type) []Type {
	var all []Type
	for _, t := range types {
		all = append(all, c.copy(t))
	}
	return all
}

func (c copier) object(o *Object) *Object {
	to := &Object{
		Additional: c.copy(o.Additional),
		Requires:   slices.Clone(o.Requires),
		Union:      o.Union.clone(),
		Facts:      slices.Clone(o.Facts),
	}
	all := make([]Property, len(o.Properties))
	for i, p := range o.Properties {
		all[i] = *p
		all[i].Type = c.copy(p.Type)
	}
	to.Properties = pointers(all)
	return to
}

// pointers returns a pointer to each property; nil if there are none.
func pointers(all []Property) []*Property {
	if len(all) == 0 {
		return nil
	}
	list := make([]*Property, len(all))
	for i := range all {
		list[i] = &all[i]
	}
	return list
}

func (c copier) limits(l *Limits) *Limits {
	if l == nil {
		return nil
	}
	return c.store.limits.add(*l)
}

func (u *Union) clone() *Union {
	if u == nil {
		return nil
	}
	c := &Union{Discriminator: u.Discriminator}
	for _, k := range u.Cases {
		c.Cases = append(c.Cases, Case{slices.Clone(k.Values), slices.Clone(k.Allows), slices.Clone(k.Requires)})
	}
	return c
}
