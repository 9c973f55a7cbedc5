package chain

import (
	"slices"
	"strconv"
)

// Key is the name under which values of one lineage and one shape lie in the
// property bag of a place's objects, wherever the property is away. Once given
// it is read for ever: Names has the one that is written first, then younger
// ones that are read too. Since is the version where the shape first stands.
type Key struct {
	Names []string
	Since *Version
}

type lineageShape struct {
	lineage *Lineage
	shape   int
}

// giveKeys gives a place's properties their keys: first what the ledger has
// given, then, in order of arrival, every property that some neighbour lacks.
func (b *placer) giveKeys(p *Place) {
	b.restoreKeys(p)
	for _, i := range b.resource.order {
		if p.Defs[i] == nil {
			continue
		}
		for _, l := range p.Lineages {
			if l.Live[i] != nil && l.Key(i) == nil && p.needsKey(l, i) {
				p.giveKey(lineageShape{l, l.shapes[i]})
			}
		}
	}
}

// needsKey tells whether a neighbour of the version cannot take the property.
func (p *Place) needsKey(l *Lineage, i int) bool {
	r := p.Resource
	if n := r.Versions[i].Next; n != nil && p.Defs[n.Index] != nil && !l.Transfers(i, n.Index) {
		return true
	}
	return slices.ContainsFunc(r.Versions, func(v *Version) bool {
		return v.Next == r.Versions[i] && p.Defs[v.Index] != nil && !l.Transfers(v.Index, i)
	})
}

// giveKey gives a new key: the property's name if no key of the place has it,
// else the name with the version where the shape first stands.
func (p *Place) giveKey(at lineageShape) {
	since := at.since()
	plain, label := at.lineage.Live[since].Name, p.Resource.Versions[since].Label
	name := plain
	for n := 1; p.isTaken(name); n++ {
		name = plain + "@" + label
		if n > 1 {
			name += "." + strconv.Itoa(n)
		}
	}
	p.addKey(at, name)
}

func (p *Place) isTaken(name string) bool {
	_, ok := p.taken[name]
	return ok
}

// since is the first version, in order of arrival, where a lineage has a shape.
func (at lineageShape) since() int {
	for _, i := range at.lineage.Place.Resource.order {
		if at.lineage.Live[i] != nil && at.lineage.shapes[i] == at.shape {
			return i
		}
	}
	return -1
}

func (p *Place) addKey(at lineageShape, name string) {
	p.taken[name] = at
	k := p.keys[at]
	if k == nil {
		k = &Key{Since: p.Resource.Versions[at.since()]}
		p.keys[at] = k
	}
	if !slices.Contains(k.Names, name) {
		k.Names = append(k.Names, name)
	}
}
