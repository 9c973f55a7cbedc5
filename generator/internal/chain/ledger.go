package chain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// KeyRow is one key as the ledger keeps it: in Version (the vendor's name), the
// object at Path has a property Property whose lineage and shape the key stands
// for. Properties of one key are one lineage, whatever comes between them.
type KeyRow struct {
	// Status tells that Path is in the status, which is no mirror of the spec.
	Status   bool
	Version  string
	Path     []string
	Property string
	Name     string
	// Compat is the label of the version whose compat package has the shape of what
	// lies in the bag, where the property has another shape; else empty.
	Compat string

	// Mirrored tells that the key was given in the spec when the status mirrored it.
	Mirrored bool

	seq int // its place in the ledger
}

// Via tells whether the property's shape is another than that of its key.
func (k KeyRow) Via() bool { return k.Compat != "" }

// oldKeys are the keys that the ledger has given at a path of one version, and
// below it. A nil *oldKeys has none.
type oldKeys struct {
	keys  []KeyRow
	below map[string]*oldKeys
	text  string
}

// oldKeys sorts the ledger's rows of a resource by version and path, those of the
// spec and those of a status that is no mirror of it.
func (l *linker) oldKeys(r *Resource) (spec, status []*oldKeys) {
	spec, status = make([]*oldKeys, len(r.Versions)), make([]*oldKeys, len(r.Versions))
	for seq, row := range l.opts.Keys[strings.ToLower(r.Model.Type)] {
		row.seq = seq
		v := r.version(row.Version)
		if v == nil {
			l.problem(model.Pos{}, "restore the ledger from version control", "the ledger has a bag key of %s in version %q, which it does not hold", r.Model.Type, row.Version)
			continue
		}
		out := spec
		if row.Status {
			out = status
		}
		if out[v.Index] == nil {
			out[v.Index] = &oldKeys{}
		}
		out[v.Index].add(row, row.Path)
	}
	return spec, status
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

// names are those of a property's keys.
func (o *oldKeys) names(property string) []string {
	if o == nil {
		return nil
	}
	var out []string
	for _, k := range o.keys {
		if k.Property == property {
			out = append(out, k.Name)
		}
	}
	return out
}

// canonical spells the keys here and below, so that equal ones are equal texts.
func (o *oldKeys) canonical() string {
	if o.text != "" {
		return o.text
	}
	var b strings.Builder
	for _, k := range o.keys {
		fmt.Fprintf(&b, "%q=%q%q;", k.Property, k.Name, k.Compat)
	}
	for _, name := range slices.Sorted(maps.Keys(o.below)) {
		fmt.Fprintf(&b, "%q{%s}", name, o.below[name].canonical())
	}
	o.text = b.String()
	return o.text
}

// inherited are the old keys of a vector of definitions. The ledger follows a
// path to where it first comes back to a place; beyond it, the keys are those of
// that place, also where paths beyond it have come to differ.
func (b *placer) inherited(defs []*model.Def, old []*oldKeys) (all []*oldKeys, inherited bool) {
	if !none(old) {
		return old, false
	}
	for _, p := range slices.Backward(b.stack) {
		if p.comesBackTo(defs) {
			return p.old, true
		}
	}
	return old, false
}

// comesBackTo tells whether the ledger has keys for the place, and a vector has
// its definitions wherever it has.
func (p *Place) comesBackTo(defs []*model.Def) bool {
	found := false
	for i, o := range p.old {
		if o != nil && p.Defs[i] != defs[i] {
			return false
		}
		found = found || o != nil
	}
	return found
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
		if !row.Via() {
			b.restoreKey(p, row)
		}
	}
}

func (b *placer) restoreKey(p *Place, row KeyRow) {
	fault := "which has no such property"
	v := b.resource.version(row.Version)
	if l := p.At(v.Index, row.Property); l != nil {
		at := lineageKind{l, l.kinds[v.Index]}
		if owner, taken := p.taken[row.Name]; !taken || owner == at && p.holds(at, row.Name, v) {
			if row.Mirrored { // the first row of the next run
				v = p.Resource.Versions[l.since(v.Index)]
			}
			p.addKey(at, Entry{row.Name, v})
			return
		}
		if p.inherits || row.Mirrored {
			return // nothing was stored there, or it is read by the first row of the key
		}
		fault = "and for another property or shape too"
	}
	b.linker.problem(v.Model.Pos, "restore the ledger from version control",
		"the ledger has a bag key %q for %s of %s in %s, %s", row.Name, strings.Join(append(slices.Clip(row.Path), row.Property), "."), b.resource.Model.Type, row.Version, fault)
}

// holds tells whether an entry has the shape that its lineage has in a version.
func (p *Place) holds(at lineageKind, name string, v *Version) bool {
	return slices.ContainsFunc(p.keys[at].Entries, func(e Entry) bool {
		return e.Name == name && at.lineage.SameShape(e.Holder.Index, v.Index)
	})
}

// KeyRows are all keys of a resource as the ledger keeps them: each in every
// version where its lineage has a value of its kind, at every path that its place
// has there.
func (r *Resource) KeyRows() []KeyRow {
	w := &rowWriter{open: map[*Place]bool{}}
	for _, i := range r.order {
		w.version = r.Versions[i]
		w.place(r.Root, nil)
		if w.status = true; r.Status != nil {
			w.place(r.Status, nil)
		}
		w.status = false
	}
	return w.rows
}

type rowWriter struct {
	version *Version
	status  bool
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
		if k := l.Key(i); k != nil {
			w.key(l, k, path)
		}
		if c := l.Child(i); c != nil {
			w.place(c, append(slices.Clip(path), q.Name))
		}
	}
	delete(w.open, p)
}

// key writes the rows of one key: plain ones where the property has the shape of
// what lies in the bag, else those of the compat packages that it goes through.
func (w *rowWriter) key(l *Lineage, k *Key, path []string) {
	i := w.version.Index
	row := KeyRow{Version: w.version.Model.Name, Status: w.status, Path: path, Property: l.Live[i].Name}
	for _, e := range k.Entries {
		row.Name = e.Name
		if l.SameShape(i, e.Holder.Index) {
			row.Compat = ""
			w.rows = append(w.rows, row)
			continue
		}
		for _, at := range l.compats(i) {
			row.Compat = at.Label
			w.rows = append(w.rows, row)
		}
	}
}
