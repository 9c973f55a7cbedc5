package chain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Key is the name under which values of one lineage and one shape lie in the
// property bag of a place's objects, wherever the property is away. Once given
// it is read for ever: Names has the one that is written first, then younger
// ones that are read too. Since is the version where the shape first stands.
type Key struct {
	Names []string
	Since *Version

	lineage *Lineage
}

type lineageShape struct {
	lineage *Lineage
	shape   int
}

// KeyRow is one key as the ledger keeps it: in Version (the vendor's name), the
// object at Path has a property Property whose lineage and shape the key stands
// for.
type KeyRow struct {
	Version  string
	Path     []string
	Property string
	Name     string

	seq int // its place in the ledger
}

// Key returns the key of a lineage's value as it is in a version, or nil if it
// never lies in a bag.
func (l *Lineage) Key(version int) *Key {
	return l.Place.keys[lineageShape{l, l.shapes[version]}]
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
				b.giveKey(p, l, l.shapes[i])
			}
		}
	}
}

// restoreKeys gives the ledger's keys, oldest first.
func (b *placer) restoreKeys(p *Place) {
	var rows []KeyRow
	for _, old := range p.old {
		if old != nil {
			rows = append(rows, old.keys...)
		}
	}
	slices.SortFunc(rows, func(x, y KeyRow) int { return cmp.Compare(x.seq, y.seq) })
	for _, row := range rows {
		v := b.resource.version(row.Version)
		l := p.lineageNamed(v.Index, row.Property)
		if l == nil {
			b.linker.problem(v.Model.Pos, "restore the ledger from version control",
				"the ledger has a bag key %q for %s of %s in %s, which has no such property", row.Name, strings.Join(append(row.Path, row.Property), "."), b.resource.Model.Type, row.Version)
			continue
		}
		b.addKey(p, l, l.shapes[v.Index], row.Name)
	}
}

func (r *Resource) version(name string) *Version {
	for _, v := range r.Versions {
		if v.Model.Name == name {
			return v
		}
	}
	return nil
}

func (p *Place) lineageNamed(version int, property string) *Lineage {
	for _, l := range p.Lineages {
		if q := l.Live[version]; q != nil && q.Name == property {
			return l
		}
	}
	return nil
}

// needsKey tells whether a neighbour of the version cannot take the property.
func (p *Place) needsKey(l *Lineage, i int) bool {
	r := p.Resource
	if n := r.Versions[i].Next; n != nil && p.Defs[n.Index] != nil && !l.Transfers(i, n.Index) {
		return true
	}
	for _, v := range r.Versions {
		if v.Next == r.Versions[i] && p.Defs[v.Index] != nil && !l.Transfers(v.Index, i) {
			return true
		}
	}
	return false
}

// giveKey gives a new key: the property's name if no key of the place has it,
// else the name with the version where the shape first stands.
func (b *placer) giveKey(p *Place, l *Lineage, shape int) {
	since := l.since(shape)
	plain := l.Live[since].Name
	name := plain
	if p.taken[name] {
		name = plain + "@" + b.resource.Versions[since].Label
	}
	for n := 2; p.taken[name]; n++ {
		name = plain + "@" + b.resource.Versions[since].Label + "." + strconv.Itoa(n)
	}
	b.addKey(p, l, shape, name)
}

// since is the first version, in order of arrival, where a lineage has a shape.
func (l *Lineage) since(shape int) int {
	for _, i := range l.Place.Resource.order {
		if l.Live[i] != nil && l.shapes[i] == shape {
			return i
		}
	}
	return -1
}

func (b *placer) addKey(p *Place, l *Lineage, shape int, name string) {
	p.taken[name] = true
	at := lineageShape{l, shape}
	k := p.keys[at]
	if k == nil {
		k = &Key{Since: b.resource.Versions[l.since(shape)], lineage: l}
		p.keys[at] = k
	}
	if !slices.Contains(k.Names, name) {
		k.Names = append(k.Names, name)
	}
}

// oldKeys are the keys that the ledger has given at a path of one version, and
// below it.
type oldKeys struct {
	keys  []KeyRow
	below map[string]*oldKeys
	text  string
}

// oldKeys sorts the ledger's rows of a resource by version and path.
func (l *linker) oldKeys(r *Resource) []*oldKeys {
	out := make([]*oldKeys, len(r.Versions))
	index := map[string]int{}
	for i, v := range r.Versions {
		index[v.Model.Name] = i
	}
	for seq, row := range l.opts.Keys[strings.ToLower(r.Model.Type)] {
		row.seq = seq
		i, ok := index[row.Version]
		if !ok {
			l.problem(model.Pos{}, "restore the ledger from version control", "the ledger has a bag key of %s in version %q, which it does not hold", r.Model.Type, row.Version)
			continue
		}
		at := &out[i]
		if *at == nil {
			*at = &oldKeys{}
		}
		(*at).add(row, row.Path)
	}
	return out
}

func (o *oldKeys) add(row KeyRow, path []string) {
	if len(path) == 0 {
		o.keys = append(o.keys, row)
		return
	}
	if o.below == nil {
		o.below = map[string]*oldKeys{}
	}
	c := o.below[path[0]]
	if c == nil {
		c = &oldKeys{}
		o.below[path[0]] = c
	}
	c.add(row, path[1:])
}

// canonical spells the keys here and below, so that equal ones are equal texts.
func (o *oldKeys) canonical() string {
	if o.text != "" {
		return o.text
	}
	var b strings.Builder
	for _, k := range o.keys {
		fmt.Fprintf(&b, "%q=%q;", k.Property, k.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(o.below)) {
		fmt.Fprintf(&b, "%q{%s}", name, o.below[name].canonical())
	}
	o.text = b.String()
	return o.text
}

// KeyRows are all keys of a resource as the ledger keeps them: each in the
// version where its shape first stands, at every path that its place has there.
func (r *Resource) KeyRows() []KeyRow {
	since := map[int]bool{}
	for _, p := range r.places {
		for _, k := range p.keys {
			since[k.Since.Index] = true
		}
	}
	w := &rowWriter{open: map[*Place]bool{}}
	for _, i := range r.order {
		if w.version = r.Versions[i]; since[i] {
			w.place(r.Root, nil)
		}
	}
	return w.rows
}

type rowWriter struct {
	version *Version
	open    map[*Place]bool
	rows    []KeyRow
}

func (w *rowWriter) place(p *Place, path []string) {
	if w.open[p] {
		return
	}
	w.open[p] = true
	i := w.version.Index
	for _, l := range p.Lineages {
		q := l.Live[i]
		if q == nil {
			continue
		}
		if k := l.Key(i); k != nil && k.Since == w.version {
			for _, name := range k.Names {
				w.rows = append(w.rows, KeyRow{Version: w.version.Model.Name, Path: path, Property: q.Name, Name: name})
			}
		}
		if c := l.Child(i); c != nil {
			w.place(c, append(slices.Clip(path), q.Name))
		}
	}
	delete(w.open, p)
}
