package chain

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/stratakube/strata/generator/internal/model"
)

// matcher assigns the properties of one version to lineages.
type matcher struct {
	placer  *placer
	place   *Place
	version int
	prev    int
	rest    []*model.Property // not assigned yet
}

// run tries these rules in order. First are the lineages in the ledger. Then come renames that
// exchange names, or that the source states. The exact name at the neighbour follows, then its name
// in another letter case, if unique on both sides, and then other renames by metadata. A leaf may
// have the name that a later stable version gives to a lineage of the neighbour. Then come the
// names of lineages that the neighbour lacks. Names that match two others in another letter case
// are refused. Each remaining property begins a lineage.
func (m *matcher) run() {
	m.alone()
	m.remembered()
	here, away := m.candidates()
	m.renamed(true)
	m.renamedFar(m.isStated)
	m.exact(here)
	m.folded(here)
	m.renamed(false)
	m.renamedFar(func(metadata) bool { return true })
	m.exact(m.later())
	m.exact(away)
	m.folded(append(here, away...))
	m.refuse(append(here, away...))
	m.each(func(*model.Property) *Lineage { return m.begin() })
	m.confirm()
	m.confirmFar()
	m.end()
}

// begin begins a lineage.
func (m *matcher) begin() *Lineage {
	l := &Lineage{Place: m.place, Live: make([]*model.Property, len(m.place.Defs)), ended: -1}
	m.place.Lineages = append(m.place.Lineages, l)
	return l
}

// candidate is a lineage under a name that it has in some version, and the distance to that
// version.
type candidate struct {
	lineage  *Lineage
	name     string
	version  int
	distance int
}

// candidates lists the lineages at the neighbour by their names there, and the others by all of
// their names. The others are sorted by distance; of two versions at one distance, the earlier
// comes first.
func (m *matcher) candidates() (here, away []candidate) {
	for _, l := range m.place.Lineages {
		if m.prev >= 0 && l.Live[m.prev] != nil {
			here = append(here, candidate{lineage: l, name: l.Live[m.prev].Name, version: m.prev})
			continue
		}
		for j, p := range l.Live {
			if p != nil {
				away = append(away, candidate{l, p.Name, j, max(m.version-j, j-m.version)})
			}
		}
	}
	slices.SortStableFunc(away, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	return here, away
}

// later lists the neighbour's lineages that later versions of the main line rename, for a leaf, by
// their names there. The nearest version comes first.
func (m *matcher) later() (out []candidate) {
	versions := m.place.Resource.Versions
	if m.prev < 0 || !versions[m.version].Leaf {
		return nil
	}
	for _, l := range m.place.Lineages {
		if l.Live[m.prev] == nil {
			continue
		}
		for j := m.version + 1; j < len(versions); j++ {
			if p := l.Live[j]; p != nil && !versions[j].Leaf && p.Name != l.Live[m.prev].Name {
				out = append(out, candidate{l, p.Name, j, j - m.version})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	return out
}

// free reports whether a lineage has no property in this version yet.
func (m *matcher) free(l *Lineage) bool { return l.Live[m.version] == nil }

// each assigns every remaining property to the lineage that find returns. If find returns nil,
// the property remains.
func (m *matcher) each(find func(*model.Property) *Lineage) {
	var rest []*model.Property
	for _, q := range m.rest {
		if l := find(q); l != nil {
			l.Live[m.version] = q
			l.join(m.named(q))
		} else {
			rest = append(rest, q)
		}
	}
	m.rest = rest
}

// remembered follows the ledger: the properties of one lineage in the previous run stay one. Keys
// decide where no lineages are recorded.
func (m *matcher) remembered() {
	old := m.place.old[m.version]
	if old == nil {
		return
	}
	m.oneOf(m.byNames(), m.named)
	if m.place.Resource.past.isPartial {
		m.oneOf(m.byKeys(), func(q *model.Property) []string { return old.keyNames(q.Name) })
	}
}

// byNames returns the lineages by their names in the ledger.
func (m *matcher) byNames() map[string][]*Lineage {
	known := map[string][]*Lineage{}
	for _, l := range m.place.Lineages {
		for _, name := range l.called {
			known[name] = append(known[name], l)
		}
	}
	return known
}

// byKeys returns the lineages by the keys that the ledger gave to their properties, in the order
// of lineages.
func (m *matcher) byKeys() map[string][]*Lineage {
	known := map[string][]*Lineage{}
	for _, l := range m.place.Lineages {
		for i, p := range l.Live {
			if p != nil {
				for _, name := range m.place.old[i].keyNames(p.Name) {
					known[name] = append(known[name], l)
				}
			}
		}
	}
	return known
}

// oneOf assigns each property to the first lineage that is known under one of its names.
func (m *matcher) oneOf(known map[string][]*Lineage, names func(*model.Property) []string) {
	rank := map[*Lineage]int{}
	for i, l := range m.place.Lineages {
		rank[l] = i
	}
	m.each(func(q *model.Property) (first *Lineage) {
		for _, name := range names(q) {
			for _, l := range known[name] {
				if m.offered(l) && !m.divided(q, l) && (first == nil || rank[l] < rank[first]) {
					first = l
				}
			}
		}
		return first
	})
}

// exact assigns properties to the first candidate of the same name.
func (m *matcher) exact(candidates []candidate) {
	by := map[string][]candidate{}
	for _, c := range candidates {
		by[c.name] = append(by[c.name], c)
	}
	m.each(func(q *model.Property) *Lineage {
		for _, c := range by[q.Name] {
			if m.offered(c.lineage) && !m.divided(q, c.lineage) {
				return c.lineage
			}
		}
		return nil
	})
}

// folded assigns properties to candidates whose name differs only in letter case, if the name is
// unique on both sides.
func (m *matcher) folded(candidates []candidate) {
	by, count := map[string][]candidate{}, map[string]int{}
	for _, c := range candidates {
		by[folded(c.name)] = append(by[folded(c.name)], c)
	}
	for _, q := range m.rest {
		count[folded(q.Name)]++
	}
	m.each(func(q *model.Property) (found *Lineage) {
		if count[folded(q.Name)] > 1 {
			return nil
		}
		for _, c := range by[folded(q.Name)] {
			switch {
			case !m.offered(c.lineage), m.divided(q, c.lineage):
			case found != nil && found != c.lineage:
				return nil
			default:
				found = c.lineage
			}
		}
		return found
	})
}

// folded returns the same text for names that strings.EqualFold considers equal.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name)
}
