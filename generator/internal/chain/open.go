package chain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// open replaces maps of a lineage by open objects, where other versions have objects. Then the
// maps' members and the objects' properties are the same properties. Only storage types change.
func (b *placer) open(l *Lineage) {
	for depth := range deepestWrap(l) + 1 {
		for i, q := range l.Live {
			if q == nil {
				continue
			}
			if like := l.objectAt(i, depth); like != nil {
				b.openAt(l, i, depth, like)
			}
		}
	}
}

func deepestWrap(l *Lineage) (deepest int) {
	for _, q := range l.Live {
		if q != nil {
			wrap, _ := Unwrap(q.Type)
			deepest = max(deepest, len(wrap))
		}
	}
	return deepest
}

// objectAt returns the definition of the objects that other versions have where a version has
// maps, in the given number of lists and maps. It returns nil if the version has no map there, or
// if no other version has objects. Maps of objects stay maps: the ledger has given keys to these
// objects, and those of other versions may have the same keys. Objects without named members do
// not count, because no key would keep their version in the chain.
func (l *Lineage) objectAt(version, depth int) *model.Def {
	wrap, inner := Unwrap(l.Live[version].Type)
	if len(wrap) <= depth || wrap[depth] != 'm' || model.ScalarText(inner) == "" || depth == 0 && l.Live[version].Name == AdditionalName {
		return nil
	}
	var found *model.Def
	for j, q := range l.Live {
		if q == nil || l.epochs[j] != l.epochs[version] {
			continue
		}
		around, inner := Unwrap(q.Type)
		if ref, ok := inner.(*model.Ref); ok && around == wrap[:depth] && len(ref.Def.Object().Properties) > 0 && found == nil {
			found = ref.Def
		}
	}
	return found
}

// openAt replaces the map in a property's type by an open object that has the name of a
// definition.
func (b *placer) openAt(l *Lineage, version, depth int, like *model.Def) {
	was := l.Live[version]
	is := *was
	is.Type = b.opened(was.Type, depth, like)
	members := l.Place.members[version]
	members = slices.Clone(members)
	members[slices.Index(members, was)] = &is
	l.Place.members[version], l.Live[version] = members, &is
}

func (b *placer) opened(t model.Type, depth int, like *model.Def) model.Type {
	switch t := t.(type) {
	case *model.List:
		out := *t
		out.Elem = b.opened(t.Elem, depth-1, like)
		return &out
	case *model.Map:
		if depth == 0 {
			return &model.Ref{Def: b.object(t, like)}
		}
		out := *t
		out.Elem = b.opened(t.Elem, depth-1, like)
		return &out
	}
	return t
}

// object returns the open object that a map is stored as. Its name distinguishes it from others
// in the keys of places; [Place.Names] ignores it.
func (b *placer) object(m *model.Map, like *model.Def) *model.Def {
	d := b.maps[m]
	if d == nil {
		name, _, _ := strings.Cut(like.Name, " ")
		d = &model.Def{Name: name + " " + strconv.Itoa(len(b.maps)), Type: &model.Object{Additional: m.Elem}, Map: m}
		b.maps[m] = d
	}
	return d
}

// isMap reports whether the API has a map where the place has an object. The ledger does not
// record such objects.
func (p *Place) isMap(version int) bool { return p.Defs[version] != nil && p.Defs[version].Map != nil }

// isOfMaps reports whether values of a kind are members of maps that are stored as objects. Their
// key must not depend on the order of arrival, because the ledger does not record it.
func (l *Lineage) isOfMaps(kind string) bool {
	for i, q := range l.Live {
		if q != nil && q.Name == AdditionalName && l.kinds[i] == kind && l.Place.isMap(i) {
			return true
		}
	}
	return false
}
