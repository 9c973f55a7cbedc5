package chain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Record contains the ledger's rows of a resource. Its paths refer to Model, which has every
// version as it was when the rows were written.
//
// The number of rows grows with that of places, not of paths: each place of a version has its
// rows at one path. The object at any other path has the keys of
//   - the target of a join, if a join of the object before it names the path's last property;
//   - else the first path with rows or joins of its definition.
type Record struct {
	Model    *model.Resource
	Keys     []KeyRow
	Lineages []LineageRow
	Joins    []Join
	// EveryPath means that the rows are of the first format. It had rows at every path up to the
	// property where the path returns to a place, and no joins.
	EveryPath bool
	// Unnamed means that the rows are of a format without lineages. Properties of one key are
	// known to be one lineage; nothing is known of others.
	Unnamed bool
	// Named lists the versions of Model whose lineages are recorded. All other versions are
	// treated as new, apart from the rows that they have. Nil means all versions.
	Named []string
}

// isUnnamed reports whether lineages are known only through keys.
func (r *Record) isUnnamed() bool { return r.Unnamed || r.Model == nil }

// names reports whether the lineages of a version are recorded.
func (r *Record) names(version string) bool {
	switch {
	case r.isUnnamed():
		return false
	case r.Named == nil:
		return r.Model.Version(version) != nil
	}
	return slices.Contains(r.Named, version)
}

// namesAll reports whether the lineages of all versions are recorded.
func (r *Record) namesAll() bool {
	return !slices.ContainsFunc(r.Model.Versions, func(v *model.Version) bool { return !r.names(v.Name) })
}

// Mirror copies the rows of the spec to the status if the status mirrored the spec in all
// versions. When the status no longer mirrors the spec, it must still read these rows. Mirror
// returns r.
func (r *Record) Mirror() *Record {
	if slices.ContainsFunc(r.Model.Versions, func(v *model.Version) bool { return v.Status != nil }) {
		return r
	}
	for _, k := range slices.Clone(r.Keys) {
		k.Status, k.Mirrored = true, true
		r.Keys = append(r.Keys, k)
	}
	for _, n := range slices.Clone(r.Lineages) {
		n.Status, n.Mirrored = true, true
		r.Lineages = append(r.Lineages, n)
	}
	for _, j := range slices.Clone(r.Joins) {
		j.Status, j.Mirrored = true, true
		r.Joins = append(r.Joins, j)
	}
	return r
}

// hasStatus reports whether any version had a status that does not mirror the spec, also a
// version that the chain now skips.
func (r *Record) hasStatus() bool {
	return r != nil && (slices.ContainsFunc(r.Keys, func(k KeyRow) bool { return k.Status && !k.Mirrored }) ||
		r.Model != nil && slices.ContainsFunc(r.Model.Versions, func(v *model.Version) bool { return v.Status != nil }))
}

// Join states that in a version, the property of the object at Path leads to an object with the
// keys of the object at To. It is recorded where the definition alone does not determine the
// keys, because objects of one definition have different keys.
type Join struct {
	Status   bool
	Version  string
	Path     []string
	Property string
	To       []string

	// Mirrored means that the join was recorded for the spec, while the status mirrored it.
	Mirrored bool
}

// KeyRow is one key in the ledger. In Version (the vendor's name), the object at Path has the
// property Property. Name is the key of its lineage and shape.
type KeyRow struct {
	// Status means that Path is in a status that does not mirror the spec.
	Status   bool
	Version  string
	Path     []string
	Property string
	Name     string
	// Compat is set if the property's shape differs from that of the value in the bag. It is the
	// label of the version whose compat package has that shape.
	Compat string

	// Mirrored means that the key was given to the spec, while the status mirrored it.
	Mirrored bool

	seq int // its index in the ledger
}

// Via reports whether the property's shape differs from that of its key.
func (k KeyRow) Via() bool { return k.Compat != "" }

// keyNames returns the names of a property's keys.
func (o *spot) keyNames(property string) []string {
	if o == nil {
		return nil
	}
	return o.byName[property]
}

// restoreKeys restores the ledger's keys, the oldest first.
func (b *placer) restoreKeys(p *Place) {
	var rows []KeyRow
	for _, old := range p.old {
		if old != nil {
			rows = append(rows, old.keys...)
		}
	}
	slices.SortFunc(rows, func(x, y KeyRow) int { return cmp.Compare(x.seq, y.seq) })
	for _, row := range rows {
		if !row.Via() {
			b.restoreKey(p, row)
		}
	}
	for _, row := range rows {
		if row.Via() {
			b.checkVia(p, row)
		}
	}
}

// checkVia reports a row whose property now has another lineage than its key: metadata
// contradicts the ledger.
func (b *placer) checkVia(p *Place, row KeyRow) {
	v := b.resource.version(row.Version)
	if l := p.At(v.Index, row.Property); l != nil && l.Key(v.Index).has(row.Name) || row.Mirrored || b.lax {
		return
	}
	b.badKey(row, "which is of another property by now")
}

func (b *placer) restoreKey(p *Place, row KeyRow) {
	fault := "which has no such property"
	v := b.resource.version(row.Version)
	if l := p.At(v.Index, row.Property); l != nil {
		at := lineageKind{l, l.kinds[v.Index]}
		if owner, taken := p.taken[row.Name]; !taken || owner == at && p.holds(at, row.Name, v) {
			if row.Mirrored { // the first row in the next run
				v = p.Resource.Versions[l.since(v.Index)]
			}
			p.addKey(at, Entry{row.Name, v})
			return
		}
		if row.Mirrored || b.lax {
			return // nothing was stored there, or the first row of the key reads it
		}
		fault = "and for another property or shape too"
	}
	b.badKey(row, fault)
}

func (b *placer) badKey(row KeyRow, fault string) {
	b.linker.problem(b.resource.version(row.Version).Model.Pos, "restore the ledger from version control, and take back a nameInNextVersion that it contradicts",
		"the ledger has a bag key %q for %s of %s in %s, %s", row.Name, strings.Join(append(slices.Clip(row.Path), row.Property), "."), b.resource.Model.Type, row.Version, fault)
}

// holds reports whether an entry of that name has the shape that its lineage has in a version.
func (p *Place) holds(at lineageKind, name string, v *Version) bool {
	return slices.ContainsFunc(p.keys[at].Entries, func(e Entry) bool {
		return e.Name == name && at.lineage.SameShape(e.Holder.Index, v.Index)
	})
}
