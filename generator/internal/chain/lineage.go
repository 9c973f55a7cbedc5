package chain

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// LineageRow is the name of a property's lineage in the ledger. In Version (the vendor's name),
// Property of the object at Path is part of the lineage Name. A property that the ledger has
// without a row is part of the lineage of its own name. If several lineages turned out to be one,
// it has a row for each of their names.
type LineageRow struct {
	Status   bool // Path is in a status that does not mirror the spec
	Version  string
	Path     []string
	Property string
	Name     string

	// Mirrored means that the row was recorded for the spec, while the status mirrored it.
	Mirrored bool
}

// lineages returns the names of the lineages that a property has been part of; nil for a property
// that the ledger does not have.
func (o *spot) lineages(property string) []string {
	switch {
	case o == nil:
		return nil
	case o.byProperty[property] != nil:
		return o.byProperty[property]
	case !o.members[property]:
		return nil
	}
	return []string{property}
}

// checkLineages reports properties of one object that the ledger assigns to one lineage. No run
// writes such rows.
func (l *linker) checkLineages(r *Resource, v *Version, t *pastVersion) {
	for _, tree := range []*pastTree{t.spec, t.status} {
		for _, s := range tree.named {
			if a, b := s.ambiguous(); a != "" {
				l.problem(v.Model.Pos, "restore the ledger from version control", "the ledger has %s and %s of %s in %s as one property",
					strings.Join(append(slices.Clip(s.path), a), "."), strings.Join(append(slices.Clip(s.path), b), "."), r.Model.Type, v.Model.Name)
			}
		}
	}
}

// checkNames reports separate properties that the ledger assigns to one lineage, because some of
// its lines contradict others. No run writes such rows, but a merge of two branches may.
func (b *placer) checkNames(p *Place) {
	if !slices.ContainsFunc(p.old, func(s *spot) bool { return s != nil && len(s.names) > 0 }) {
		return
	}
	type member struct {
		of *Lineage
		at int
	}
	first := map[string]member{}
	for _, l := range p.Lineages {
		for i, q := range l.Live {
			if q == nil || l.separate || l.ended >= 0 {
				continue // metadata divides a lineage, and its parts retain one name
			}
			for _, name := range p.old[i].lineages(q.Name) {
				other, seen := first[name]
				if !seen {
					first[name] = member{l, i}
				} else if other.of != l && other.at != i {
					b.badLineage(p, q, i, other.of.Live[other.at], other.at)
					return
				}
			}
		}
	}
}

func (b *placer) badLineage(p *Place, q *model.Property, version int, other *model.Property, otherVersion int) {
	at, before := p.Resource.Versions[version].Model, p.Resource.Versions[otherVersion].Model
	b.linker.problem(at.Pos, "the ledger is of two branches: take ledger and manifest.json of the side that was generated first, then run strata generate to add the other's",
		"the ledger has %s.%s of %s and %s.%s of %s as one property of %s, which other lines of it contradict",
		p.Defs[otherVersion].Name, other.Name, before.Name, p.Defs[version].Name, q.Name, at.Name, p.Resource.Model.Type)
}

// ambiguous returns two properties of one lineage, or empty names if there are none.
func (o *spot) ambiguous() (a, b string) {
	if len(o.names) == 0 {
		return "", ""
	}
	of := map[string]string{}
	for _, property := range slices.Sorted(maps.Keys(o.members)) {
		for _, name := range o.lineages(property) {
			if other, taken := of[name]; taken {
				return other, property
			}
			of[name] = property
		}
	}
	return "", ""
}

// join adds names to the lineage.
func (l *Lineage) join(names []string) {
	for _, name := range names {
		if !slices.Contains(l.called, name) {
			l.called = append(l.called, name)
		}
	}
}

// named returns the ledger's names for the lineage of a property in the version that is matched;
// nil for a new property.
func (m *matcher) named(q *model.Property) []string { return m.place.old[m.version].lineages(q.Name) }

// divided reports whether the ledger has a property and a lineage as two, so that equal names
// must not join them.
func (m *matcher) divided(q *model.Property, l *Lineage) bool {
	names := m.named(q)
	return len(names) > 0 && len(l.called) > 0 && !shareName(names, l.called)
}

func shareName(a, b []string) bool {
	return slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// meet returns a version in which the ledger has both the property and the lineage; nil if there
// is none. If there is one, the two cannot be one.
func (m *matcher) meet(q *model.Property, l *Lineage) *Version {
	names := m.named(q)
	for i, old := range m.place.old {
		hasProperty, hasLineage := false, false
		for _, p := range m.place.membersAt(i) {
			of := old.lineages(p.Name)
			hasProperty, hasLineage = hasProperty || shareName(of, names), hasLineage || shareName(of, l.called)
		}
		if hasProperty && hasLineage {
			return m.place.Resource.Versions[i]
		}
	}
	return nil
}

// membersAt returns the properties of the place's object in a version; nil if it has no object
// there.
func (p *Place) membersAt(version int) []*model.Property {
	if p.Defs[version] == nil {
		return nil
	}
	return members(p.Defs[version].Object())
}

// nameLineages names the lineages that begin in this run. The name is that of the property that
// began it, with the version appended if another lineage has the name.
func (p *Place) nameLineages() {
	taken := map[string][]*Lineage{}
	for _, l := range p.Lineages {
		for _, name := range l.called {
			taken[name] = append(taken[name], l)
		}
	}
	for _, l := range p.Lineages {
		if len(l.called) > 0 {
			continue
		}
		name := l.Name()
		for n := 1; !l.mayTake(taken[name]); n++ {
			name = l.Name() + "@" + p.Resource.Versions[l.first()].Label
			if n > 1 {
				name += "." + strconv.Itoa(n)
			}
		}
		l.called = []string{name}
		taken[name] = append(taken[name], l)
	}
}

// first returns the first version, in order of arrival, that has the lineage.
func (l *Lineage) first() int {
	for _, i := range l.Place.Resource.order {
		if l.Live[i] != nil {
			return i
		}
	}
	return 0
}

// mayTake reports whether a lineage may get a name that others have. It may if only metadata
// separates them: if the user removes that metadata, they are one lineage again.
func (l *Lineage) mayTake(others []*Lineage) bool {
	return !slices.ContainsFunc(others, func(o *Lineage) bool {
		return !l.separate && !o.separate && l.ended < 0 && o.ended < 0 || l.overlaps(o)
	})
}

// overlaps reports whether some version has properties of both lineages.
func (l *Lineage) overlaps(o *Lineage) bool {
	for i, p := range l.Live {
		if p != nil && o.Live[i] != nil {
			return true
		}
	}
	return false
}

// upToDate returns the record of a resource with the names of its lineages. A record of an older
// format has none: its versions are linked as in a run without any other versions. Versions that
// the chain skips are added afterwards, as versions that arrive late.
func (l *linker) upToDate(m *model.Resource, record *Record) *Record {
	if record == nil || !record.Unnamed || record.Model == nil || record.Model == m {
		return record
	}
	known, away := record.Model.Head(), map[string]bool{}
	for _, v := range record.Model.Versions {
		if away[v.Name] = l.opts.pruning(m.Type, v.Name) == Dropped; !away[v.Name] {
			known.Versions = append(known.Versions, v)
		}
	}
	out := l.recordOf(record.Model, record, l.opts.Prune)
	if out == nil {
		return record
	}
	if len(known.Versions) < len(record.Model.Versions) {
		early := *out
		early.Model = known
		if all := l.recordOf(record.Model, early.Mirror(), nil); all != nil {
			out = all
			out.Keys = slices.DeleteFunc(out.Keys, func(k KeyRow) bool { return away[k.Version] }) // they stay pruned
		}
	}
	return out.Mirror()
}

// recordOf links a resource on its own and returns its record; nil if that fails.
func (l *linker) recordOf(m *model.Resource, known *Record, prune func(resourceType, version string) Pruning) *Record {
	alone := newLinker(l.ctx, l.opts)
	alone.opts.Renames, alone.opts.Prune = slices.Clone(l.opts.Renames), prune
	alone.opts.Records = map[string]*Record{strings.ToLower(m.Type): known}
	alone.resource(m)
	if len(alone.problems) > 0 || len(alone.chain.Groups) == 0 || l.stopped() {
		return nil
	}
	return alone.chain.Groups[0].Resources[0].Record()
}
