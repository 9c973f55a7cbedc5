package chain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// matcher matches the properties of one version with the lineages so far.
type matcher struct {
	placer  *placer
	place   *Place
	version int
	prev    int
	rest    []*model.Property // not matched yet
}

// run tries, in this order: what the ledger knows to be one lineage; the exact
// name at the neighbour; the name without regard to case, if unique on both
// sides; metadata's rename; then names among the lineages that are away at the
// neighbour; else a lineage begins.
func (m *matcher) run() {
	m.alone()
	m.remembered()
	here, away := m.candidates()
	m.exact(here)
	m.folded(here)
	m.renamed()
	m.exact(away)
	m.folded(append(here, away...))
	for _, q := range m.rest {
		m.take(q, m.begin())
	}
	m.confirm()
	m.end()
}

// begin begins a lineage.
func (m *matcher) begin() *Lineage {
	l := &Lineage{Place: m.place, Live: make([]*model.Property, len(m.place.Defs)), ended: -1}
	m.place.Lineages = append(m.place.Lineages, l)
	return l
}

// candidate is a lineage under one name that it has or had, in a version that is
// so many versions away.
type candidate struct {
	lineage  *Lineage
	name     string
	distance int
}

// candidates lists the lineages at the neighbour by their name there, and the
// others by the names that they have elsewhere, nearest versions first, of two as
// near the earlier.
func (m *matcher) candidates() (here, away []candidate) {
	for _, l := range m.place.Lineages {
		if m.prev >= 0 && l.Live[m.prev] != nil {
			here = append(here, candidate{lineage: l, name: l.Live[m.prev].Name})
			continue
		}
		for j, p := range l.Live {
			if p != nil {
				away = append(away, candidate{l, p.Name, max(m.version-j, j-m.version)})
			}
		}
	}
	slices.SortStableFunc(away, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	return here, away
}

// free tells whether a lineage has no property in this version yet.
func (m *matcher) free(l *Lineage) bool { return l.Live[m.version] == nil }

func (m *matcher) take(q *model.Property, l *Lineage) {
	l.Live[m.version] = q
	m.rest = slices.DeleteFunc(slices.Clone(m.rest), func(o *model.Property) bool { return o == q })
}

// remembered follows the ledger: properties that it gave one key are one lineage.
func (m *matcher) remembered() {
	for _, q := range m.rest {
		names := m.place.old[m.version].names(q.Name)
		for _, l := range m.place.Lineages {
			if m.offered(l) && l.hasAny(names) {
				m.take(q, l)
				break
			}
		}
	}
}

// hasAny tells whether the ledger gave the lineage one of some keys.
func (l *Lineage) hasAny(names []string) bool {
	for i, p := range l.Live {
		if p == nil {
			continue
		}
		for _, name := range l.Place.old[i].names(p.Name) {
			if slices.Contains(names, name) {
				return true
			}
		}
	}
	return false
}

func (m *matcher) exact(candidates []candidate) {
	for _, q := range m.rest {
		for _, c := range candidates {
			if c.name == q.Name && m.offered(c.lineage) {
				m.take(q, c.lineage)
				break
			}
		}
	}
}

func (m *matcher) folded(candidates []candidate) {
	for _, q := range m.rest {
		if slices.ContainsFunc(m.rest, func(o *model.Property) bool { return o != q && strings.EqualFold(o.Name, q.Name) }) {
			continue
		}
		var found *Lineage
		unique := true
		for _, c := range candidates {
			if m.offered(c.lineage) && strings.EqualFold(c.name, q.Name) {
				unique = unique && (found == nil || found == c.lineage)
				found = c.lineage
			}
		}
		if found != nil && unique {
			m.take(q, found)
		}
	}
}
