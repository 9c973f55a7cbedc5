package ledger

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/stratakube/strata/generator/internal/model"
)

// restore restores the parts that the fresh version has lost, and the former names of its
// definitions.
func (c *comparison) restore() {
	for _, l := range c.lost {
		if l.property.Name == "" {
			l.fresh.Additional = c.carry(l.known.Additional)
			continue
		}
		back := *l.property
		back.Required = false
		back.Type = c.carry(back.Type)
		l.fresh.Properties = slices.Insert(l.fresh.Properties, l.index(), &back)
		l.allow()
	}
	for _, k := range c.kept {
		*k.fresh = c.carry(k.known)
	}
	if c.fresh.Status == nil {
		c.fresh.Status = c.carry(c.known.Status)
	}
	if c.fresh.Defs = model.Closure(c.fresh.Spec, c.fresh.Status); !c.resource.IsNative() {
		model.ShareStatus(c.fresh, c.copyOf)
	}
	c.rename()
}

// index returns the index for a restored property: after the nearest preceding property that the
// fresh object still has.
func (l loss) index() int {
	at := slices.Index(l.known.Properties, l.property)
	for at--; at >= 0; at-- {
		if i := indexOf(l.fresh, l.known.Properties[at].Name); i >= 0 {
			return i + 1
		}
	}
	return 0
}

// allow adds a restored property to the cases of a union, except those that did not allow it
// before.
func (l loss) allow() {
	if l.fresh.Union == nil {
		return
	}
	for i := range l.fresh.Union.Cases {
		now := &l.fresh.Union.Cases[i]
		if had := caseOf(l.known.Union, now.Values); had == nil || slices.Contains(had.Allows, l.property.Name) {
			now.Allows = append(now.Allows, l.property.Name)
			slices.SortStableFunc(now.Allows, func(a, b string) int { return cmp.Compare(indexOf(l.fresh, a), indexOf(l.fresh, b)) })
		}
	}
}

// indexOf returns the index of a property in an object, or -1.
func indexOf(o *model.Object, name string) int {
	return slices.IndexFunc(o.Properties, func(p *model.Property) bool { return p.Name == name })
}

// caseOf returns a union's case with the given values of the discriminator; nil if there is none.
func caseOf(u *model.Union, values []string) *model.Case {
	if u == nil {
		return nil
	}
	for i := range u.Cases {
		if slices.Equal(u.Cases[i].Values, values) {
			return &u.Cases[i]
		}
	}
	return nil
}

// carry returns a known type with fresh definitions in it: the fresh one that continues a known
// one, or else a copy of the known one.
func (c *comparison) carry(t model.Type) model.Type {
	switch t := t.(type) {
	case *model.List:
		return &model.List{Elem: c.carry(t.Elem), Limits: t.Limits, Facts: t.Facts}
	case *model.Map:
		return &model.Map{Elem: c.carry(t.Elem), Facts: t.Facts}
	case *model.Ref:
		return &model.Ref{Def: c.def(t.Def)}
	}
	return t
}

func (c *comparison) def(known *model.Def) *model.Def {
	if d := c.continues[known]; d != nil {
		return d
	}
	d := &model.Def{Name: known.Name, Doc: known.Doc}
	c.continues[known], c.continued[d] = d, known
	o := *known.Object()
	o.Properties = slices.Clone(o.Properties)
	for i, p := range o.Properties {
		copied := *p
		copied.Type = c.carry(p.Type)
		o.Properties[i] = &copied
	}
	o.Additional = c.carry(o.Additional)
	d.Type = &o
	return d
}

// rename gives definitions their names in the ledger, and the other definitions names that are
// not in use.
func (c *comparison) rename() {
	taken := map[string]bool{}
	var others []*model.Def
	for _, d := range c.fresh.Defs {
		if known := c.continued[d]; known != nil {
			d.Name = known.Name
			taken[d.Name] = true
		} else {
			others = append(others, d)
		}
	}
	for _, d := range others {
		name := d.Name
		for n := 2; taken[d.Name]; n++ {
			d.Name = name + strconv.Itoa(n)
		}
		taken[d.Name] = true
	}
}
