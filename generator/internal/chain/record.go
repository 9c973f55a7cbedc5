package chain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Record returns the resource's record for the ledger: the rows that it had, and those of new
// keys, versions and places. Every place of a version has its rows at one path. That is a path
// that the ledger has already, or else the first of the shortest paths. Joins state how other
// paths read these rows. Each key has a row in every version where its lineage has a value of its
// kind. Each name of a lineage has a row where the property has another name.
func (r *Resource) Record() *Record {
	w := &recorder{resource: r, rows: map[string]bool{}}
	if r.record != nil {
		w.keep(r.record)
	}
	for _, i := range r.order {
		w.write(i)
	}
	slices.SortStableFunc(w.out.Keys, func(x, y KeyRow) int { return cmp.Compare(x.seq, y.seq) })
	for i := range w.out.Keys {
		w.out.Keys[i].seq = i
	}
	w.out.Model = r.Model
	w.out.Named = r.namedVersions()
	return &w.out
}

// namedVersions returns the versions whose lineages are recorded: those of the old record, and
// those of the chain.
func (r *Resource) namedVersions() []string {
	var out []string
	for _, v := range r.Model.Versions {
		if r.version(v.Name) != nil || r.record != nil && r.record.names(v.Name) {
			out = append(out, v.Name)
		}
	}
	return out
}

// recorder writes a record.
type recorder struct {
	resource *Resource
	out      Record
	rows     map[string]bool // by their texts
}

// keep copies the rows of the ledger. Joins, and rows of the first format, are written again for
// the versions that the chain has.
func (w *recorder) keep(old *Record) {
	for seq, row := range old.Keys {
		if row.seq = seq; !row.Mirrored && (!old.EveryPath || w.resource.version(row.Version) == nil) {
			w.row(row)
		}
	}
	for _, row := range old.Lineages {
		if !row.Mirrored || w.ceases(row.Version) {
			row.Mirrored = false
			w.lineage(row)
		}
	}
	for _, j := range old.Joins {
		if w.resource.version(j.Version) == nil && (!j.Mirrored || w.ceases(j.Version)) {
			j.Mirrored = false
			w.out.Joins = append(w.out.Joins, j)
		}
	}
}

// ceases reports whether the status no longer mirrors the spec while the chain skips a version.
// Then the ledger's rows of that version's spec also apply to its status.
func (w *recorder) ceases(version string) bool {
	return w.resource.Status != nil && w.resource.version(version) == nil
}

func (w *recorder) row(row KeyRow) {
	text := fmt.Sprintf("%t %q %q %s", row.Status, row.Version, row.Path, row.text())
	if !w.rows[text] {
		w.rows[text] = true
		w.out.Keys = append(w.out.Keys, row)
	}
}

func (w *recorder) lineage(row LineageRow) {
	text := fmt.Sprintf("%t %q %q %s", row.Status, row.Version, row.Path, row.text())
	if !w.rows[text] {
		w.rows[text] = true
		w.out.Lineages = append(w.out.Lineages, row)
	}
}

// write writes the rows of a version.
func (w *recorder) write(version int) {
	r := w.resource
	trees := []*recordTree{newRecordTree(r.Root, version, false)}
	if r.Status != nil {
		trees = append(trees, newRecordTree(r.Status, version, true))
	}
	for i, t := range trees {
		if named := r.past.named[r.Versions[version].Model.Name]; !w.everyPath() {
			t.name(named[i])
		}
		t.sort()
		t.choose()
		slices.SortStableFunc(t.chosen, func(x, y chosen) int {
			return cmp.Or(cmp.Compare(len(x.path), len(y.path)), slices.Compare(x.path, y.path))
		})
		for _, at := range t.chosen {
			w.writeRows(t, at)
		}
	}
}

func (w *recorder) everyPath() bool { return w.resource.record != nil && w.resource.record.EveryPath }

// writeRows writes the rows and joins of a path.
func (w *recorder) writeRows(t *recordTree, at chosen) {
	v := w.resource.Versions[t.version]
	for _, row := range t.rows[at.place].keys {
		row.Status, row.Version, row.Path, row.Mirrored = t.status, v.Model.Name, at.path, false
		w.row(row)
	}
	for _, row := range t.rows[at.place].lineages {
		row.Status, row.Version, row.Path = t.status, v.Model.Name, at.path
		w.lineage(row)
	}
	names := !t.rows[at.place].isEmpty() || len(at.path) == 0
	for _, c := range at.place.childrenAt(t.version) {
		to := t.home[t.kindOf(c.place)]
		leads := names && !t.rows[c.place].isEmpty() && slices.Equal(to, append(slices.Clip(at.path), c.name)) // as its rows say
		if t.split[c.place.Defs[t.version]] && !leads {
			w.out.Joins = append(w.out.Joins, Join{Status: t.status, Version: v.Model.Name, Path: at.path, Property: c.name, To: to})
		}
	}
}

// recordTree contains the places below the spec or the status of a version.
type recordTree struct {
	version int
	status  bool
	places  []*Place // nearest to the root first
	paths   map[*Place][]string
	rows    map[*Place]rows
	class   map[*Place]int      // equal for places with equal rows, here and below
	split   map[*model.Def]bool // definitions of places of several classes
	home    map[kind][]string   // the path that has the rows of a kind
	chosen  []chosen            // the paths that have rows
	known   map[string]bool     // the same paths, as texts
}

// rows are the rows of one place's object in a version.
type rows struct {
	keys     []KeyRow
	lineages []LineageRow
}

func (r rows) isEmpty() bool { return len(r.keys) == 0 && len(r.lineages) == 0 }

func (r rows) text() string {
	var out strings.Builder
	for _, k := range r.keys {
		out.WriteString(k.text())
	}
	for _, n := range r.lineages {
		out.WriteString(n.text())
	}
	return out.String()
}

// kind identifies the objects of a definition that have the same rows.
type kind struct {
	def   *model.Def
	class int
}

func (t *recordTree) kindOf(p *Place) kind { return kind{p.Defs[t.version], t.class[p]} }

// chosen is a path that has rows, and its place.
type chosen struct {
	path  []string
	place *Place
}

func newRecordTree(root *Place, version int, status bool) *recordTree {
	t := &recordTree{
		version: version, status: status, places: []*Place{root}, paths: map[*Place][]string{root: nil},
		rows: map[*Place]rows{}, class: map[*Place]int{}, split: map[*model.Def]bool{}, home: map[kind][]string{}, known: map[string]bool{},
	}
	for i := 0; i < len(t.places); i++ {
		p := t.places[i]
		for _, c := range p.childrenAt(version) {
			if _, seen := t.paths[c.place]; !seen {
				t.paths[c.place] = append(slices.Clip(t.paths[p]), c.name)
				t.places = append(t.places, c.place)
			}
		}
	}
	t.choosePath(nil, root)
	return t
}

// child is a property, and the place that it leads to.
type child struct {
	name  string
	place *Place
}

// childrenAt returns the places that a place's properties lead to in a version.
func (p *Place) childrenAt(version int) []child {
	var out []child
	for _, l := range p.Lineages {
		if q := l.Live[version]; q != nil {
			if c := l.Child(version); c != nil && !c.isMap(version) {
				out = append(out, child{q.Name, c})
			}
		}
	}
	return out
}

// name chooses the paths at which the ledger already has rows.
func (t *recordTree) name(spots []*spot) {
	for _, s := range spots {
		if len(s.keys) == 0 && len(s.names) == 0 {
			continue
		}
		p := t.places[0]
		for _, name := range s.path {
			l := p.At(t.version, name)
			if l == nil {
				p = nil
			} else {
				p = l.Child(t.version)
			}
			if p == nil {
				break
			}
		}
		if p != nil {
			t.choosePath(s.path, p)
		}
	}
}

func (t *recordTree) choosePath(path []string, p *Place) {
	if text := spell(path); !t.known[text] {
		t.known[text] = true
		t.chosen = append(t.chosen, chosen{path, p})
	}
}

// sort groups places into classes by their rows, and finds the definitions that places of several
// classes have.
func (t *recordTree) sort() {
	number := make(map[*Place]int, len(t.places))
	for i, p := range t.places {
		number[p] = i
	}
	kinds := newSorter(len(t.places))
	for i, p := range t.places {
		t.rows[p] = rows{p.rows(t.version), p.lineageRows(t.version)}
		kinds.own[i] = t.rows[p].text()
		for _, c := range p.childrenAt(t.version) {
			kinds.below[i] = append(kinds.below[i], toward{c.name, number[c.place]})
		}
	}
	first := map[*model.Def]int{}
	for i, class := range kinds.classes() {
		p := t.places[i]
		t.class[p] = class
		d := p.Defs[t.version]
		if before, seen := first[d]; seen && before != class {
			t.split[d] = true
		}
		first[d] = class
	}
}

// choose chooses a path for each kind that has rows or joins: one that the ledger already has, or
// else the shortest.
func (t *recordTree) choose() {
	for _, at := range t.chosen {
		if _, has := t.home[t.kindOf(at.place)]; !has {
			t.home[t.kindOf(at.place)] = at.path
		}
	}
	for _, p := range t.places {
		if _, has := t.home[t.kindOf(p)]; !has && t.isRecorded(p) {
			t.home[t.kindOf(p)] = t.paths[p]
			t.choosePath(t.paths[p], p)
		}
	}
}

// isRecorded reports whether a place has rows or joins, or is the target of one.
func (t *recordTree) isRecorded(p *Place) bool {
	return !t.rows[p].isEmpty() || t.split[p.Defs[t.version]] ||
		slices.ContainsFunc(p.childrenAt(t.version), func(c child) bool { return t.split[c.place.Defs[t.version]] })
}

// rows returns the keys of the place's object in a version: first those of the ledger that are
// still valid, then new ones.
func (p *Place) rows(version int) []KeyRow {
	var out []KeyRow
	seen := map[string]bool{}
	add := func(row KeyRow) {
		if text := row.text(); !seen[text] {
			seen[text] = true
			out = append(out, row)
		}
	}
	if old := p.old[version]; old != nil {
		for _, row := range old.keys {
			if l := p.At(version, row.Property); l != nil && !row.Mirrored && l.Key(version).has(row.Name) {
				add(row)
			}
		}
	}
	for _, l := range p.Lineages {
		if q := l.Live[version]; q != nil {
			for _, row := range l.rows(version, q.Name) {
				add(row)
			}
		}
	}
	return out
}

// lineageRows returns the rows of lineages for the place's object in a version. A property has
// rows unless its lineage's only name is its own.
func (p *Place) lineageRows(version int) []LineageRow {
	var out []LineageRow
	for _, q := range p.members[version] {
		l := p.At(version, q.Name)
		if p.isMap(version) || slices.Equal(l.called, []string{q.Name}) {
			continue
		}
		for _, name := range l.called {
			out = append(out, LineageRow{Property: q.Name, Name: name})
		}
	}
	return out
}

func (k *Key) has(name string) bool { return k != nil && slices.Contains(k.Names(), name) }

// rows returns the keys of one property. A key has a plain row if the property has the same shape
// in the bag. Else it has a row for each compat package that the value is converted through.
func (l *Lineage) rows(version int, property string) []KeyRow {
	k := l.Key(version)
	if k == nil {
		return nil
	}
	var out []KeyRow
	for _, e := range k.Entries {
		row := KeyRow{Property: property, Name: e.Name, seq: math.MaxInt}
		if l.SameShape(version, e.Holder.Index) {
			out = append(out, row)
			continue
		}
		for _, at := range l.compats(version) {
			row.Compat = at.Label
			out = append(out, row)
		}
	}
	return out
}
