package chain

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Place is where an object stands in a resource, through all versions: the
// spec, or what a lineage leads to. Defs has the object's definition in every
// version of the resource, nil where there is none. Paths of the resource that
// have the same definitions and the same bag keys are one place, so that
// recursion ends.
type Place struct {
	Resource *Resource
	Defs     []*model.Def
	Lineages []*Lineage
	// Observed means that the place is in the status only, which is no mirror of the
	// spec.
	Observed bool

	members [][]*model.Property   // by version
	byName  []map[string]*Lineage // by version
	linked  [][]int               // by version: those whose objects its own converts to
	keys    map[lineageKind]*Key
	taken   map[string]lineageKind // by names of keys
	old     []*spot                // by version: what the ledger has given here and below
}

// Names are those by which metadata speaks of the place's object in a version: its own,
// and, for what is the status's alone, that of the spec's type.
func (p *Place) Names(version int) []string {
	own := p.Defs[version].Name
	if p.Defs[version].Map != nil {
		return nil
	}
	switch {
	case p == p.Resource.Status:
		return []string{own, p.Resource.Model.Kind + "Spec"}
	case p.Observed:
		return []string{own, strings.TrimSuffix(own, model.StatusSuffix)}
	}
	return []string{own}
}

// Members are the properties of the place's object in a version, its further
// members as one property last.
func (p *Place) Members(version int) []*model.Property { return p.members[version] }

// Next is the version, on the way from one towards the hub, in which the place
// next has an object; nil if there is none.
func (p *Place) Next(v *Version) *Version {
	for n := v.Next; n != nil; n = n.Next {
		if p.Defs[n.Index] != nil {
			return n
		}
	}
	return nil
}

// before is the version whose lineages a version is matched with: the one
// before it on the main line, or a leaf's next; -1 if there is none.
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

// Lineage is one property through all versions, renames followed. Live has the
// property in every version, nil where it is away.
type Lineage struct {
	Place    *Place
	Live     []*model.Property
	called   []string // its names in the ledger; the first is its own, others are of lineages that turned out to be one with it
	separate bool     // metadata says that the leaf's property that began it is matched with no other
	ended    int      // by metadata: the last version that has a part in it; -1 for none
	shapes   []int    // by version: the shape of the property's type
	kinds    []string // by version: its JSON kind
	epochs   []int    // by version: how many breaks there were
	segments []*segment
}

// SameShape reports whether a lineage's value is the same JSON in storage in two
// versions.
func (l *Lineage) SameShape(i, j int) bool { return l.shapes[i] == l.shapes[j] }

// segment is a part of a lineage whose objects convert member by member: they
// are wrapped in the same lists and maps.
type segment struct {
	wrap  string
	defs  []*model.Def
	place *Place
}

// Name is the property's name where the lineage first stood.
func (l *Lineage) Name() string {
	for _, i := range l.Place.Resource.order {
		if p := l.Live[i]; p != nil {
			return p.Name
		}
	}
	return ""
}

// Child is the place of the objects that the lineage leads to in a version, nil
// where it leads to none.
func (l *Lineage) Child(version int) *Place {
	for _, s := range l.segments {
		if s.defs[version] != nil {
			return s.place
		}
	}
	return nil
}

// Key returns the key of a lineage's value as it is in a version, or nil if it
// never lies in a bag.
func (l *Lineage) Key(version int) *Key {
	return l.Place.keys[lineageKind{l, l.kinds[version]}]
}

// Transfers reports whether a lineage's value can be handed from a version to
// another as it is or member by member: of one kind of scalar, or objects of
// one place, in the same lists and maps, with no break between.
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

// At returns the lineage of a version's property, nil if the place has none of
// that name there.
func (p *Place) At(version int, property string) *Lineage {
	return p.byName[version][property]
}

// index finds the lineages of all properties, once they are all there.
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
