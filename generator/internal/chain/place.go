package chain

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Place is an object of a resource, through all versions: the spec, the status, or the object
// that a lineage leads to. Defs has the object's definition in every version of the resource; nil
// where the version has no such object. Paths of the resource that have the same definitions and
// the same bag keys are one place, so that recursion ends.
type Place struct {
	Resource *Resource
	Defs     []*model.Def
	Lineages []*Lineage
	// Observed means that the place is only in the status, which does not mirror the spec.
	Observed bool

	members [][]*model.Property   // by version
	byName  []map[string]*Lineage // by version
	linked  [][]int               // by version: the versions that its objects convert to directly
	keys    map[lineageKind]*Key
	taken   map[string]lineageKind // by names of keys
	old     []*spot                // by version: the ledger's rows, here and below
	sharing []*Place               // the places whose objects have the same bags; nil for this one alone
}

// Names returns the names by which metadata refers to the place's object in a version. They are
// its own name and, for an object of the status alone, that of the corresponding type of the
// spec. There are none in a version without the object.
func (p *Place) Names(version int) []string {
	if p.Defs[version] == nil || p.Defs[version].Map != nil {
		return nil
	}
	own := p.Defs[version].Name
	switch {
	case p == p.Resource.Status:
		return []string{own, p.Resource.Model.Kind + "Spec"}
	case p.Observed:
		return []string{own, strings.TrimSuffix(own, model.StatusSuffix)}
	}
	return []string{own}
}

// means reports whether a name in metadata means a property of the place's object in a version. It
// means the property of that name or, if there is none, the only one whose name differs in letter
// case alone.
func (p *Place) means(version int, name string, property *model.Property) bool {
	return isMeant(p.members[version], name, property)
}

// isMeant reports whether a name in metadata means one of an object's properties.
func isMeant(all []*model.Property, name string, property *model.Property) bool {
	if name == property.Name || !strings.EqualFold(name, property.Name) {
		return name == property.Name
	}
	named := model.Named(all, name)
	return len(named) == 1 && named[0] == property
}

// Members returns the properties of the place's object in a version. Its further members, as one
// property, are last.
func (p *Place) Members(version int) []*model.Property { return p.members[version] }

// Next returns the next version towards the hub in which the place has an object; nil if there is
// none.
func (p *Place) Next(v *Version) *Version {
	for n := v.Next; n != nil; n = n.Next {
		if p.Defs[n.Index] != nil {
			return n
		}
	}
	return nil
}

// before returns the version whose lineages a version is matched with. It is the previous one of
// the main line or, for a leaf, the next one towards the hub. It is -1 if there is none.
func (p *Place) before(i int) int {
	r := p.Resource
	if r.Versions[i].Leaf {
		if n := p.Next(r.Versions[i]); n != nil {
			return n.Index
		}
		return -1
	}
	for j := i - 1; j >= 0; j-- {
		if !r.Versions[j].Leaf && p.Defs[j] != nil {
			return j
		}
	}
	return -1
}

// Lineage is one property through all versions, including renames. Live has the property in every
// version; nil where the version lacks it.
type Lineage struct {
	Place    *Place
	Live     []*model.Property
	called   []string // its names in the ledger: its own, then those of lineages joined to it
	separate bool     // by metadata: the leaf's property that began it matches no other property
	ended    int      // by metadata: the last version that has the lineage; -1 if it does not end
	shapes   []int    // by version: the shape of the property's type
	kinds    []string // by version: its JSON kind
	epochs   []int    // by version: the number of breaks and changes of unit
	segments []*segment
}

// SameShape reports whether a lineage's value has the same JSON in the storage types of two
// versions.
func (l *Lineage) SameShape(i, j int) bool { return l.shapes[i] == l.shapes[j] }

// segment is a part of a lineage whose objects convert member by member: they are in the same
// lists and maps.
type segment struct {
	wrap  string
	defs  []*model.Def
	place *Place
}

// Name returns the property's name in the first version, in order of arrival, that has the
// lineage.
func (l *Lineage) Name() string {
	for _, i := range l.Place.Resource.order {
		if p := l.Live[i]; p != nil {
			return p.Name
		}
	}
	return ""
}

// Child returns the place of the objects that the lineage leads to in a version; nil if there are
// none.
func (l *Lineage) Child(version int) *Place {
	for _, s := range l.segments {
		if s.defs[version] != nil {
			return s.place
		}
	}
	return nil
}

// Key returns the key of a lineage's value as it is in a version, or nil if no bag stores it.
func (l *Lineage) Key(version int) *Key {
	return l.Place.keys[lineageKind{l, l.kinds[version]}]
}

// Transfers reports whether a lineage's value can be handed over from one version to another,
// unchanged or member by member. Both values must be of one kind of scalar, or objects of one
// place, in the same lists and maps, without a break between them.
func (l *Lineage) Transfers(from, to int) bool {
	p, q := l.Live[from], l.Live[to]
	if p == nil || q == nil || l.epochs[from] != l.epochs[to] {
		return false
	}
	wrapP, a := Unwrap(p.Type)
	wrapQ, b := Unwrap(q.Type)
	if wrapP != wrapQ {
		return false
	}
	if _, ok := a.(*model.Ref); ok {
		c := l.Child(from)
		return c != nil && c == l.Child(to)
	}
	return model.ScalarText(a) == model.ScalarText(b)
}

// At returns the lineage of a version's property; nil if the version has no property of that
// name.
func (p *Place) At(version int, property string) *Lineage {
	return p.byName[version][property]
}

// index fills byName; all lineages must be complete.
func (p *Place) index() {
	p.byName = make([]map[string]*Lineage, len(p.Defs))
	for i := range p.Defs {
		p.byName[i] = map[string]*Lineage{}
	}
	for _, l := range p.Lineages {
		for i, q := range l.Live {
			if q != nil && p.byName[i][q.Name] == nil {
				p.byName[i][q.Name] = l
			}
		}
	}
}
