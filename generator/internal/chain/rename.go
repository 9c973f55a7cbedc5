package chain

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// renamed follows metadata: from the neighbour's properties to this version's,
// or, for a leaf, from its own properties to those of the next main version.
func (m *matcher) renamed() {
	r := m.place.Resource
	v := r.Versions[m.version]
	if v.Leaf {
		m.renamedLeaf(v)
		return
	}
	if m.prev < 0 || r.nextMain(r.Versions[m.prev]) != v {
		return
	}
	for _, l := range m.place.Lineages {
		p := l.Live[m.prev]
		if p == nil || !m.offered(l) {
			continue
		}
		if rename := m.rename(m.prev, p); rename.found {
			m.each(func(q *model.Property) *Lineage {
				if rename.leadsTo(q) && m.free(l) {
					return l
				}
				return nil
			})
		}
	}
}

func (m *matcher) renamedLeaf(v *Version) {
	next := m.place.Resource.nextMain(v)
	if next == nil {
		return
	}
	m.each(func(q *model.Property) *Lineage {
		rename := m.rename(m.version, q)
		if !rename.found {
			return nil
		}
		for _, l := range m.place.Lineages {
			if p := l.Live[next.Index]; p != nil && m.offered(l) && rename.leadsTo(p) {
				return l
			}
		}
		return nil
	})
}

// metadata is a rename of the run by its place among the options.
type metadata struct {
	at    int
	to    string
	found bool
}

func (n metadata) leadsTo(p *model.Property) bool {
	return n.found && strings.EqualFold(p.Name, n.to)
}

// rename finds the metadata of a version's property.
func (m *matcher) rename(version int, p *model.Property) metadata {
	r, all := m.place.Resource, m.placer.linker.opts.Renames
	for _, name := range m.place.Names(version) {
		at := slices.IndexFunc(all, func(n Rename) bool {
			return n.Property != "" && n.Folder == r.Group.Folder && n.Version == r.Versions[version].Model.Name &&
				n.isOf(r.Model) && n.Type == name && strings.EqualFold(n.Property, p.Name)
		})
		if at >= 0 {
			return metadata{at, all[at].To, true}
		}
	}
	return metadata{}
}

// confirm marks the metadata that says what has become of this version's
// properties, also where the ledger knew it already.
func (m *matcher) confirm() {
	r := m.place.Resource
	v := r.Versions[m.version]
	from, to := m.prev, v
	if v.Leaf {
		from, to = m.version, r.nextMain(v)
	}
	if from < 0 || to == nil || r.nextMain(r.Versions[from]) != to {
		return
	}
	for _, l := range m.place.Lineages {
		p, q := l.Live[from], l.Live[to.Index]
		if p == nil || q == nil {
			continue
		}
		if rename := m.rename(from, p); rename.leadsTo(q) {
			m.placer.linker.used[rename.at] = true
		}
	}
}
