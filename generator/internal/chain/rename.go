package chain

import (
	"github.com/stratakube/strata/generator/internal/model"
)

// renamed follows metadata from the neighbour's properties to this version's: if early, that which
// comes before equal names. For a leaf, it follows metadata from the leaf's own properties to those
// of the next main version, and nothing early.
func (m *matcher) renamed(early bool) {
	r := m.place.Resource
	v := r.Versions[m.version]
	if v.Leaf {
		if !early {
			m.renamedLeaf(v)
		}
		return
	}
	if m.prev < 0 || r.NextMain(r.Versions[m.prev]) != v {
		return
	}
	ledTo := map[string][]led{} // by folded names
	for _, l := range m.place.Lineages {
		p := l.Live[m.prev]
		if p == nil || !m.offered(l) {
			continue
		}
		if rename := m.rename(m.prev, p); rename.found {
			ledTo[folded(rename.to)] = append(ledTo[folded(rename.to)], led{l, rename})
		}
	}
	if early {
		ledTo = m.leaving(ledTo)
	}
	if len(ledTo) == 0 {
		return
	}
	m.each(func(q *model.Property) *Lineage {
		for _, to := range ledTo[folded(q.Name)] {
			if m.free(to.lineage) && m.place.means(m.version, to.by.to, q) && m.agrees(q, to) {
				return to.lineage
			}
		}
		return nil
	})
}

// leaving returns the renames that come before equal names: those that exchange names, because
// renames give the earlier name and the later one to others, and those that the source itself
// states. Another rename to a name that both versions have has no effect: the property of that name
// is the same in both.
func (m *matcher) leaving(all map[string][]led) map[string][]led {
	if len(all) == 0 {
		return nil
	}
	given := map[string]bool{} // the earlier names of renamed properties
	for _, some := range all {
		for _, by := range some {
			given[folded(by.lineage.Live[m.prev].Name)] = true
		}
	}
	out := map[string][]led{}
	for to, some := range all {
		for _, by := range some {
			if m.isStated(by.by) || all[folded(by.lineage.Live[m.prev].Name)] != nil && given[to] {
				out[to] = append(out[to], by)
			}
		}
	}
	return out
}

// isStated reports whether the source of the versions states a rename.
func (m *matcher) isStated(n metadata) bool { return m.placer.linker.opts.Renames[n.at].Stated }

// led is a lineage that metadata continues under a new name.
type led struct {
	lineage *Lineage
	by      metadata
}

// agrees reports whether the ledger allows that a property and a lineage are one. It does not if
// some version has both: then one of them would be read differently from how it was stored.
func (m *matcher) agrees(q *model.Property, to led) bool {
	if !m.divided(q, to.lineage) {
		return true
	}
	v, l := m.meet(q, to.lineage), m.placer.linker
	if v == nil {
		return true
	}
	if n := l.opts.Renames[to.by.at]; !l.refused[n] {
		l.used[to.by.at], l.refused[n] = true, true
		l.problem(n.Pos, "take it back: objects are stored with both",
			"%s of %s.%s in %s %s contradicts the ledger, which has %s and %s as two properties of %s in %s",
			n.key(), n.Type, n.Property, n.Folder, n.Version, to.lineage.Name(), q.Name, m.place.Resource.Model.Type, v.Model.Name)
	}
	return false
}

func (m *matcher) renamedLeaf(v *Version) {
	next := m.place.Resource.NextMain(v)
	if next == nil {
		return
	}
	if len(m.placer.linker.opts.Renames) == 0 {
		return
	}
	named := map[string][]*Lineage{} // by their folded names in the next version
	for _, l := range m.place.Lineages {
		if p := l.Live[next.Index]; p != nil {
			named[folded(p.Name)] = append(named[folded(p.Name)], l)
		}
	}
	m.each(func(q *model.Property) *Lineage {
		rename := m.rename(m.version, q)
		if !rename.found {
			return nil
		}
		for _, l := range named[folded(rename.to)] {
			if m.offered(l) && m.place.means(next.Index, rename.to, l.Live[next.Index]) && m.agrees(q, led{l, rename}) {
				return l
			}
		}
		return nil
	})
}

// metadata is a rename of the run, by its index in the options.
type metadata struct {
	at    int
	to    string
	found bool
}

// rename returns the metadata of a version's property. Further members are never renamed.
func (m *matcher) rename(version int, p *model.Property) metadata {
	r, l := m.place.Resource, m.placer.linker
	if len(l.opts.Renames) == 0 || p.Name == AdditionalName {
		return metadata{}
	}
	for _, name := range m.place.Names(version) {
		for _, at := range l.renamesOf(renamed{r.Group.Folder, r.Versions[version].Model.Name, name, folded(p.Name)}) {
			if n := l.opts.Renames[at]; n.isOf(r.Model) && n.To != AdditionalName && m.place.means(version, n.Property, p) {
				return metadata{at, n.To, true}
			}
		}
	}
	return metadata{}
}

// renamed identifies the property that a rename applies to. The property's name is folded.
type renamed struct{ folder, version, typ, property string }

// renamesOf returns the renames of a property by their indexes in the options, in order.
func (l *linker) renamesOf(of renamed) []int {
	if l.indexed != len(l.opts.Renames) {
		l.index, l.indexed = map[renamed][]int{}, len(l.opts.Renames)
		for at, n := range l.opts.Renames {
			if n.Property != "" && n.In == "" {
				key := renamed{n.Folder, n.Version, n.Type, folded(n.Property)}
				l.index[key] = append(l.index[key], at)
			}
		}
	}
	return l.index[of]
}

// confirm marks the renames of this version's properties as used, even if the ledger already
// contains them.
func (m *matcher) confirm() {
	r := m.place.Resource
	v := r.Versions[m.version]
	from, to := m.prev, v
	if v.Leaf {
		from, to = m.version, r.NextMain(v)
	}
	if from < 0 || to == nil || r.NextMain(r.Versions[from]) != to {
		return
	}
	for _, l := range m.place.Lineages {
		p, q := l.Live[from], l.Live[to.Index]
		if p == nil || q == nil {
			continue
		}
		if rename := m.rename(from, p); rename.found && m.place.means(to.Index, rename.to, q) {
			m.placer.linker.used[rename.at] = true
		}
	}
}
