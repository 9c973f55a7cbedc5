package chain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Key reports where values of one lineage and one JSON kind lie in the property bag
// of a place's objects, wherever the property is away. Once given, an entry is read
// for ever: the first is the one that is written, others are of times when the
// lineage was not known to be one.
type Key struct{ Entries []Entry }

// Entry is a name in a bag, and the version that has the shape of what lies
// there.
type Entry struct {
	Name   string
	Holder *Version
}

// Names lists the names of the entries.
func (k *Key) Names() []string {
	var out []string
	for _, e := range k.Entries {
		out = append(out, e.Name)
	}
	return out
}

// EntriesAt are the entries of a lineage's value as it is in a version, in the order
// in which that version reads them: the name that the ledger gave it first is
// before others, so that objects read as they did, and those that the ledger will have
// no row of come last, so that the next run has the same order. Written is the one that a value
// goes by, where its name is free.
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

// rank is the place of a name among others, the last if it is not there.
func rank(names []string, name string) int {
	if i := slices.Index(names, name); i >= 0 {
		return i
	}
	return len(names)
}

// lineageKind is a lineage as far as its values are of one JSON kind: a kind of
// scalar, free JSON or an object, in the same lists and maps.
type lineageKind struct {
	lineage *Lineage
	kind    string
}

// giveAllKeys gives the keys of all places: first what the ledger has given, then,
// in order of arrival, every property that some object it converts to lacks. What
// lies in a bag in another version's shape converts to that version, so that
// places below, which come later, may need more. One round is enough: TestOneRoundOfKeys.
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

// addNeighbours notes the objects that the place's objects convert to.
func (p *Place) addNeighbours() {
	for _, v := range p.Resource.Versions {
		if n := v.Next; n != nil && p.Defs[v.Index] != nil && p.Defs[n.Index] != nil {
			p.addLink(v.Index, n.Index)
		}
	}
}

// addLink notes that the place's objects of two versions convert to each other.
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

// spread tells the places below which of their objects convert to each other.
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

// spreadHolders links a version's objects with those whose shape they have in a
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

// Borders reports whether some object that a version's object converts to cannot
// take the property.
func (l *Lineage) Borders(i int) bool {
	return slices.ContainsFunc(l.Place.linked[i], func(j int) bool { return !l.Transfers(i, j) })
}

// ReadsOld reports whether two neighbours that hand the property over may also have
// it under an old key: before the rename between them was known, each had a
// lineage of its own.
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

// giveKey gives a lineage a new key for the shape that it has in a version: the
// property's name if no key of the place has it, else the name with the version
// where the shape first stands.
func (p *Place) giveKey(l *Lineage, holder int) {
	since := l.since(holder)
	plain, label := MemberKey(l.Live[since].Name), p.Resource.Versions[since].Label
	if kind := l.kinds[holder]; l.isOfMaps(kind) {
		plain += "@v0" + strings.ReplaceAll(kind, " ", "")
	}
	name := plain
	for n := 1; p.isTaken(name); n++ {
		name = plain + "@" + label
		if n > 1 {
			name += "." + strconv.Itoa(n)
		}
	}
	p.addKey(lineageKind{l, l.kinds[holder]}, Entry{name, p.Resource.Versions[since]}) // as the ledger will have it
}

func (p *Place) isTaken(name string) bool {
	_, ok := p.taken[name]
	return ok
}

// since is the first version, in order of arrival, where a lineage has the shape
// that it has in a version.
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
