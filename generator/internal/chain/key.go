package chain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Key lists the names under which property bags of a place store the values of one lineage and
// JSON kind, if the object lacks the property. Entries are never removed, since stored objects
// have them. The first entry is the one that is written. The others were given before the
// lineages were known to be one.
type Key struct{ Entries []Entry }

// Entry is a name in a bag, and the version whose shape the value there has.
type Entry struct {
	Name   string
	Holder *Version
}

// Names returns the names of the entries.
func (k *Key) Names() []string {
	var out []string
	for _, e := range k.Entries {
		out = append(out, e.Name)
	}
	return out
}

// EntriesAt returns the entries of a lineage's value as it is in a version, in the order in which
// that version reads them. The name that the ledger gave first comes first, so that objects are
// read as before. Entries that the ledger will have no row of come last, so that the next run has
// the same order. written is the entry that a value is stored under, if its name is not in use.
func (l *Lineage) EntriesAt(version int) (entries []Entry, written Entry) {
	k := l.Key(version)
	if k == nil {
		return nil, Entry{}
	}
	if len(k.Entries) == 1 {
		return k.Entries, k.Entries[0]
	}
	entries = slices.Clone(k.Entries)
	names := slices.Clone(l.Place.old[version].keyNames(l.Live[version].Name))
	for _, row := range l.rows(version, l.Live[version].Name) {
		names = append(names, row.Name)
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(rank(names, a.Name), rank(names, b.Name)) })
	return entries, k.Entries[0]
}

// rank returns the index of a name in names, or len(names) if it is not among them.
func rank(names []string, name string) int {
	if i := slices.Index(names, name); i >= 0 {
		return i
	}
	return len(names)
}

// lineageKind is a lineage restricted to values of one JSON kind. A kind is a kind of scalar,
// free JSON or an object, in the same lists and maps.
type lineageKind struct {
	lineage *Lineage
	kind    string
}

// giveAllKeys gives keys to the properties of all places. It restores those of the ledger first.
// Then, in order of arrival, it gives a key to every property that some object it converts to
// lacks. A value that a bag stores in another version's shape converts to that version, so that
// places below may need more keys. They follow later in the same round, and one round is enough:
// see TestOneRoundOfKeys.
func (b *placer) giveAllKeys() {
	places := b.resource.places
	for _, p := range places {
		if b.linker.stopped() {
			return
		}
		p.addNeighbours()
		b.restoreKeys(p)
	}
	for _, p := range places {
		if b.linker.stopped() {
			return
		}
		p.giveKeys()
		p.spread()
	}
}

// addNeighbours records the objects that the place's objects convert to.
func (p *Place) addNeighbours() {
	for _, v := range p.Resource.Versions {
		if n := v.Next; n != nil && p.Defs[v.Index] != nil && p.Defs[n.Index] != nil {
			p.addLink(v.Index, n.Index)
		}
	}
}

// addLink records that the place's objects of two versions convert to each other.
func (p *Place) addLink(i, j int) {
	if !slices.Contains(p.linked[i], j) {
		p.linked[i] = append(p.linked[i], j)
		p.linked[j] = append(p.linked[j], i)
	}
}

func (p *Place) giveKeys() {
	for _, i := range p.Resource.order {
		if p.Defs[i] == nil {
			continue
		}
		for _, l := range p.Lineages {
			if l.Live[i] != nil && l.Key(i) == nil && l.Borders(i) {
				p.giveKey(l, i)
			}
		}
	}
}

// spread records in the places below which of their objects convert to each other.
func (p *Place) spread() {
	for _, l := range p.Lineages {
		for i, linked := range p.linked {
			for _, j := range linked {
				if c := l.Child(i); c != nil && l.Transfers(i, j) {
					c.addLink(i, j)
				}
			}
			l.spreadHolders(i)
		}
	}
}

// spreadHolders links a version's objects with those of the versions whose shape they have in a
// bag.
func (l *Lineage) spreadHolders(i int) {
	c := l.Child(i)
	if c == nil || !l.Borders(i) && !l.readsOld(i) {
		return
	}
	if k := l.Key(i); k != nil {
		for _, e := range k.Entries {
			if !l.SameShape(i, e.Holder.Index) {
				c.addLink(i, e.Holder.Index)
			}
		}
	}
}

// Borders reports whether some object that a version's object converts to cannot represent the
// property.
func (l *Lineage) Borders(i int) bool {
	return slices.ContainsFunc(l.Place.linked[i], func(j int) bool { return !l.Transfers(i, j) })
}

// ReadsOld reports whether two neighbours that hand the property over may also store it under an
// old key. Before the rename between them was known, each of them had its own lineage.
func (l *Lineage) ReadsOld(i, j int) bool {
	if !l.Transfers(i, j) {
		return false
	}
	a, b := l.Live[i].Name, l.Live[j].Name
	return a != b && !strings.EqualFold(a, b)
}

func (l *Lineage) readsOld(i int) bool {
	return slices.ContainsFunc(l.Place.linked[i], func(j int) bool { return l.ReadsOld(i, j) })
}

// giveKey gives a lineage a new key for its shape in a version. The key is the property's name if
// no other key of the place has it, and none of a place that shares its bags. Else it is the
// name with the first version that has the shape.
func (p *Place) giveKey(l *Lineage, holder int) {
	since := l.since(holder)
	plain, label := MemberKey(l.Live[since].Name), p.Resource.Versions[since].Label
	if kind := l.kinds[holder]; l.isOfMaps(kind) {
		plain += "@v0" + strings.ReplaceAll(kind, " ", "")
	}
	name := plain
	for n := 1; p.isTaken(name, l, holder); n++ {
		name = plain + "@" + label
		if n > 1 {
			name += "." + strconv.Itoa(n)
		}
	}
	p.addKey(lineageKind{l, l.kinds[holder]}, Entry{name, p.Resource.Versions[since]}) // as in the ledger
}

// isTaken reports whether a key of the place has a name, or another key of a place that shares its
// bags. A scalar of the same name and kind in such a place is the same value.
func (p *Place) isTaken(name string, l *Lineage, holder int) bool {
	if p.HasKey(name) {
		return true
	}
	for _, q := range p.sharing {
		if owner, ok := q.taken[name]; ok && (owner.kind != l.kinds[holder] || l.Child(holder) != nil) {
			return true
		}
	}
	return false
}

// HasKey reports whether a key of the place has a name.
func (p *Place) HasKey(name string) bool {
	_, ok := p.taken[name]
	return ok
}

// since returns the first version, in order of arrival, in which a lineage has the same shape as
// in the given version.
func (l *Lineage) since(version int) int {
	for _, i := range l.Place.Resource.order {
		if l.Live[i] != nil && l.kinds[i] == l.kinds[version] && l.SameShape(i, version) {
			return i
		}
	}
	return version
}

func (p *Place) addKey(at lineageKind, e Entry) {
	p.taken[e.Name] = at
	k := p.keys[at]
	if k == nil {
		k = &Key{}
		p.keys[at] = k
	}
	if !slices.Contains(k.Names(), e.Name) {
		k.Entries = append(k.Entries, e)
	}
}
