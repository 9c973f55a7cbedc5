package chain

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Further is a property that some versions of a place name, and that other versions, whose
// objects are open, show among their further members. Both are one property, which bags store
// under the same keys.
type Further struct {
	// Name is the name of the further member.
	Name string
	// Key is the bag key of the values of one JSON kind.
	Key string
	// Wrap lists the lists and maps around a value. Type is the type in them; nil for objects.
	Wrap string
	Type model.Type
	// Child is the place of the objects, and Holder the version whose shape they have in bags.
	Child  *Place
	Holder int
}

// IsMixed reports whether some of the place's objects are open, and the versions' objects do not
// all have the same properties under the same names.
func (p *Place) IsMixed() bool {
	isOpen := func(members []*model.Property) bool {
		return slices.ContainsFunc(members, func(q *model.Property) bool { return q.Name == AdditionalName })
	}
	varies := func(l *Lineage) bool { return l.Name() != AdditionalName && !l.isEverywhere(l.Name()) }
	return slices.ContainsFunc(p.members, isOpen) && slices.ContainsFunc(p.Lineages, varies)
}

// IsTyped reports whether further members of some of the place's objects are objects, which have
// steps of their own.
func (p *Place) IsTyped() bool {
	for _, l := range p.Lineages {
		if l.Name() == AdditionalName && len(l.segments) > 0 {
			return true
		}
	}
	return false
}

// Furthers lists the properties of a mixed place that may be further members, by name and then in
// the order of keys. It leaves out names that several properties have had, and properties whose
// conversion metadata sets.
func (p *Place) Furthers() []Further {
	named := map[string][]*Lineage{}
	for _, l := range p.Lineages {
		for name := range l.names() {
			named[name] = append(named[name], l)
		}
	}
	var out []Further
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if l := named[name][0]; len(named[name]) == 1 && name != AdditionalName && name == l.furtherName() && !l.isSeparate() {
			out = append(out, l.furthers(name)...)
		}
	}
	return out
}

// Unlike lists the names of a place's properties that are not among [Place.Furthers]. A further
// member with such a name is not this property.
func (p *Place) Unlike() []string {
	var names []string
	known := map[string]bool{}
	for _, f := range p.Furthers() {
		known[f.Name] = true
	}
	for _, l := range p.Lineages {
		for name := range l.names() {
			if name != AdditionalName && !l.isEverywhere(name) && !known[name] {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isEverywhere reports whether all objects of the place have the property under one name.
func (l *Lineage) isEverywhere(name string) bool {
	for i, d := range l.Place.Defs {
		if d != nil && (l.Live[i] == nil || l.Live[i].Name != name) {
			return false
		}
	}
	return true
}

// Foreign lists the former names of properties that a version has renamed. A further member of
// that version with such a name is another property. So is one with a name that a property with a
// declared change has in other versions, because the change would convert it.
func (p *Place) Foreign(version int) []string {
	var out []string
	for _, l := range p.Lineages {
		if q := l.Live[version]; q != nil && l.furtherName() != q.Name {
			out = append(out, l.furtherName())
		}
		if !l.isDeclared() {
			continue
		}
		for name := range l.names() {
			if name != AdditionalName && p.At(version, name) == nil {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (l *Lineage) names() map[string]bool {
	out := map[string]bool{}
	for _, q := range l.Live {
		if q != nil {
			out[q.Name] = true
		}
	}
	return out
}

// furtherName returns the lineage's name as a further member: the name of the property that began
// it. It is taken from the ledger, so that it does not change when a version arrives that is
// older and has another name.
func (l *Lineage) furtherName() string {
	for _, q := range l.Live {
		if q != nil && (l.called[0] == q.Name || strings.HasPrefix(l.called[0], q.Name+"@")) {
			return q.Name
		}
	}
	return l.Name()
}

// isSeparate reports whether metadata sets how a property of the lineage converts.
func (l *Lineage) isSeparate() bool {
	for i, q := range l.Live {
		if q != nil && l.Place.Mode(i, q) != Auto {
			return true
		}
	}
	return l.isDeclared()
}

// isDeclared reports whether metadata declares a change of the lineage's values, or moves a
// property from or to objects of the lineage that only one of the two versions has.
func (l *Lineage) isDeclared() bool {
	r := l.Place.Resource
	if len(r.changes) == 0 {
		return false
	}
	for i, q := range l.Live {
		if l.Place.Change(i, q) != nil {
			return true
		}
	}
	if r.moving == nil {
		r.moving = map[*Lineage]bool{}
		for _, v := range r.Versions {
			for _, j := range r.journeys(v.Index) {
				for _, on := range append(j.from, j.to...) {
					r.moving[on] = r.moving[on] || !on.Transfers(v.Index, j.next)
				}
			}
		}
	}
	return r.moving[l]
}

// furthers returns a Further for each kind of the lineage's values.
func (l *Lineage) furthers(name string) []Further {
	var out []Further
	kinds := map[string]bool{}
	for _, i := range l.Place.Resource.order {
		k := l.Live[i]
		if k == nil || l.Key(i) == nil {
			continue
		}
		wrap, inner := Unwrap(k.Type)
		entry := l.Key(i).Entries[0]
		f := Further{Name: name, Key: entry.Name, Wrap: wrap, Child: l.Child(i), Holder: entry.Holder.Index}
		if model.ScalarText(inner) != "" {
			f.Type = inner
		}
		kind := wrap + " " + model.ScalarText(inner)
		switch j := slices.IndexFunc(out, func(o Further) bool { return o.Key == f.Key }); {
		case j >= 0:
		case kinds[kind]:
			return nil // breaks separate values of one kind
		default:
			kinds[kind] = true
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b Further) int { return cmp.Compare(a.Key, b.Key) })
	return out
}
