package chain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Place is where an object stands in a resource, through all versions: the
// spec, or what a lineage leads to. Defs has the object's definition in every
// version of the resource, nil where there is none. Paths of the resource that
// have the same definitions and the same bag keys are one place, so that
// recursion ends.
type Place struct {
	Resource *Resource
	Defs     []*model.Def
	Lineages []*Lineage

	members [][]*model.Property
	keys    map[lineageShape]*Key
	taken   map[string]bool // names of keys
	old     []*oldKeys      // by version: what the ledger has given here and below
}

// Lineage is one property through all versions, renames followed. Live has the
// property in every version, nil where it is away.
type Lineage struct {
	Place    *Place
	Live     []*model.Property
	shapes   []int // by version: the shape of the property's type
	segments []*segment
}

// segment is a part of a lineage whose objects convert member by member: they
// are wrapped in the same lists and maps, and are neighbours or of one shape.
type segment struct {
	wrap  string
	defs  []*model.Def
	place *Place
}

// Name is the property's name where the lineage first stood.
func (l *Lineage) Name() string {
	for _, i := range l.Place.Resource.order {
		if p := l.Live[i]; p != nil {
			return p.Name
		}
	}
	return ""
}

// Child is the place of the objects that the lineage leads to in a version, nil
// where it leads to none.
func (l *Lineage) Child(version int) *Place {
	for _, s := range l.segments {
		if s.defs[version] != nil {
			return s.place
		}
	}
	return nil
}

// Next is the version, on the way from one towards the hub, in which the place
// next has an object; nil if there is none.
func (p *Place) Next(v *Version) *Version {
	for n := v.Next; n != nil; n = n.Next {
		if p.Defs[n.Index] != nil {
			return n
		}
	}
	return nil
}

// LineageOf returns the lineage of a version's property, or nil.
func (p *Place) LineageOf(version int, property *model.Property) *Lineage {
	for _, l := range p.Lineages {
		if l.Live[version] == property {
			return l
		}
	}
	return nil
}

// Transfers tells whether a lineage's value can be handed from a version to
// another as it is or member by member: of one kind of scalar, or objects of
// one place, in the same lists and maps.
func (l *Lineage) Transfers(from, to int) bool {
	p, q := l.Live[from], l.Live[to]
	if p == nil || q == nil {
		return false
	}
	wrapP, a := Unwrap(p.Type)
	wrapQ, b := Unwrap(q.Type)
	if wrapP != wrapQ {
		return false
	}
	if _, ok := a.(*model.Ref); ok {
		c := l.Child(from)
		return c != nil && c == l.Child(to)
	}
	return scalarName(a) == scalarName(b)
}

func scalarName(t model.Type) string {
	switch t := t.(type) {
	case *model.Scalar:
		return t.Kind.String()
	case *model.Enum:
		return t.Base.String()
	case *model.Any:
		return "any"
	}
	return "object"
}

// places builds all places of a resource from its spec down.
func (l *linker) places(r *Resource) {
	b := &placer{linker: l, resource: r, shapes: newShapes(), memo: map[string]*Place{}, ids: map[string]int{}}
	defs := make([]*model.Def, len(r.Versions))
	for i, v := range r.Versions {
		defs[i] = v.Model.Spec.(*model.Ref).Def
	}
	r.Root = b.place(defs, l.oldKeys(r))
	for _, p := range r.places {
		b.giveKeys(p)
	}
}

type placer struct {
	linker   *linker
	resource *Resource
	shapes   *shapes
	memo     map[string]*Place
	ids      map[string]int
	stack    []*Place
}

// place returns the place of a vector of definitions. One that stands within
// itself is the nearest around it, unless the ledger has given it keys of its own.
func (b *placer) place(defs []*model.Def, old []*oldKeys) *Place {
	for _, p := range slices.Backward(b.stack) {
		if slices.Equal(p.Defs, defs) && (none(old) || b.key(defs, old) == b.key(p.Defs, p.old)) {
			return p
		}
	}
	key := b.key(defs, old)
	if p := b.memo[key]; p != nil {
		return p
	}
	p := &Place{Resource: b.resource, Defs: defs, members: make([][]*model.Property, len(defs)), old: old, keys: map[lineageShape]*Key{}, taken: map[string]bool{}}
	b.memo[key] = p
	b.resource.places = append(b.resource.places, p)
	b.stack = append(b.stack, p)
	b.link(p)
	for _, l := range p.Lineages {
		b.descend(l)
	}
	b.stack = b.stack[:len(b.stack)-1]
	return p
}

func none(old []*oldKeys) bool {
	return !slices.ContainsFunc(old, func(o *oldKeys) bool { return o != nil })
}

// key identifies a vector of definitions with what the ledger holds for it.
func (b *placer) key(defs []*model.Def, old []*oldKeys) string {
	var key []byte
	for i, d := range defs {
		if d != nil {
			key = append(key, d.Name...)
		}
		if old[i] != nil {
			key = append(key, '/')
			key = strconv.AppendInt(key, int64(b.id(old[i].canonical())), 36)
		}
		key = append(key, ' ')
	}
	return string(key)
}

// id numbers texts.
func (b *placer) id(text string) int {
	n, ok := b.ids[text]
	if !ok {
		n = len(b.ids) + 1
		b.ids[text] = n
	}
	return n
}

// link finds the lineages of a place: the main line first, then each leaf
// against its neighbour.
func (b *placer) link(p *Place) {
	for _, i := range b.resource.order {
		d := p.Defs[i]
		if d == nil {
			continue
		}
		p.members[i] = members(d.Object())
		m := matcher{placer: b, place: p, version: i, prev: p.before(i), rest: p.members[i]}
		m.run()
	}
}

// before is the version whose lineages a version is matched with: the one
// before it on the main line, or a leaf's next; -1 if there is none.
func (p *Place) before(i int) int {
	r := p.Resource
	if r.Versions[i].Leaf {
		if n := p.Next(r.Versions[i]); n != nil {
			return n.Index
		}
		return -1
	}
	for j := i - 1; j >= 0; j-- {
		if !r.Versions[j].Leaf && p.Defs[j] != nil {
			return j
		}
	}
	return -1
}

// descend cuts a lineage into segments and builds their places.
func (b *placer) descend(l *Lineage) {
	l.shapes = make([]int, len(l.Live))
	for _, i := range b.resource.order {
		q := l.Live[i]
		if q == nil {
			continue
		}
		l.shapes[i] = b.shapes.of(q.Type)
		wrap, inner := Unwrap(q.Type)
		if ref, ok := inner.(*model.Ref); ok {
			s := b.segment(l, i, wrap, ref.Def)
			s.defs[i] = ref.Def
		}
	}
	for _, s := range l.segments {
		old := make([]*oldKeys, len(s.defs))
		for i, d := range s.defs {
			if o := l.Place.old[i]; d != nil && o != nil {
				old[i] = o.below[l.Live[i].Name]
			}
		}
		s.place = b.place(s.defs, old)
	}
}

// segment finds the segment that an object in a version belongs to: that of its
// neighbour, else one that has an object of the same shape, else a new one.
func (b *placer) segment(l *Lineage, i int, wrap string, d *model.Def) *segment {
	if prev := l.Place.before(i); prev >= 0 {
		for _, s := range l.segments {
			if s.wrap == wrap && s.defs[prev] != nil {
				return s
			}
		}
	}
	shape := b.shapes.of(&model.Ref{Def: d})
	for _, s := range l.segments {
		if s.wrap == wrap && slices.ContainsFunc(s.defs, func(e *model.Def) bool { return e != nil && b.shapes.of(&model.Ref{Def: e}) == shape }) {
			return s
		}
	}
	s := &segment{wrap: wrap, defs: make([]*model.Def, len(b.resource.Versions))}
	l.segments = append(l.segments, s)
	return s
}

// matcher matches the properties of one version with the lineages so far.
type matcher struct {
	placer  *placer
	place   *Place
	version int
	prev    int
	rest    []*model.Property
}

// run tries, in this order: the exact name at the neighbour; the name without
// regard to case, if unique on both sides; metadata's rename; then the same
// among the lineages that are away at the neighbour; else a lineage begins.
func (m *matcher) run() {
	all := m.rest
	here, away := m.candidates()
	m.exact(here)
	m.folded(here)
	m.renamed(all)
	m.exact(away)
	m.folded(away)
	for _, q := range m.rest {
		l := &Lineage{Place: m.place, Live: make([]*model.Property, len(m.place.Defs))}
		l.Live[m.version] = q
		m.place.Lineages = append(m.place.Lineages, l)
	}
}

// candidate is a lineage under one name that it has or had.
type candidate struct {
	lineage *Lineage
	name    string
}

// candidates lists the lineages at the neighbour by their name there, and the
// others by the names that they have elsewhere, nearest versions first.
func (m *matcher) candidates() (here, away []candidate) {
	for _, l := range m.place.Lineages {
		if m.prev >= 0 && l.Live[m.prev] != nil {
			here = append(here, candidate{l, l.Live[m.prev].Name})
			continue
		}
		for d := 1; d < len(l.Live); d++ {
			for _, j := range []int{m.version - d, m.version + d} {
				if j >= 0 && j < len(l.Live) && l.Live[j] != nil {
					away = append(away, candidate{l, l.Live[j].Name})
				}
			}
		}
	}
	return here, away
}

func (m *matcher) take(q *model.Property, l *Lineage) {
	l.Live[m.version] = q
	m.rest = slices.DeleteFunc(slices.Clone(m.rest), func(o *model.Property) bool { return o == q })
}

func (m *matcher) exact(candidates []candidate) {
	for _, q := range m.rest {
		for _, c := range candidates {
			if c.name == q.Name && c.lineage.Live[m.version] == nil {
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
			if c.lineage.Live[m.version] == nil && strings.EqualFold(c.name, q.Name) {
				unique = unique && (found == nil || found == c.lineage)
				found = c.lineage
			}
		}
		if found != nil && unique {
			m.take(q, found)
		}
	}
}

// renamed follows metadata: from the neighbour's properties to this version's,
// or, for a leaf, from its own properties to those of the next main version.
func (m *matcher) renamed(all []*model.Property) {
	r := m.place.Resource
	v := r.Versions[m.version]
	if v.Leaf {
		m.renamedLeaf(all, v)
		return
	}
	if m.prev < 0 || r.nextMain(r.Versions[m.prev]) != v {
		return
	}
	for _, l := range m.place.Lineages {
		p := l.Live[m.prev]
		if p == nil || l.Live[m.version] != nil {
			continue
		}
		to := m.rename(m.prev, p)
		for _, q := range m.rest {
			if to != "" && strings.EqualFold(q.Name, to) {
				m.use(m.prev, p)
				m.take(q, l)
				break
			}
		}
	}
}

func (m *matcher) renamedLeaf(all []*model.Property, v *Version) {
	next := m.place.Resource.nextMain(v)
	if next == nil || m.place.Defs[next.Index] == nil {
		return
	}
	for _, q := range m.rest {
		to := m.rename(m.version, q)
		for _, l := range m.place.Lineages {
			p := l.Live[next.Index]
			if to != "" && p != nil && l.Live[m.version] == nil && strings.EqualFold(p.Name, to) {
				m.use(m.version, q)
				m.take(q, l)
				break
			}
		}
	}
}

func (m *matcher) find(version int, p *model.Property) int {
	r := m.place.Resource
	return slices.IndexFunc(m.placer.linker.opts.Renames, func(n Rename) bool {
		return n.Property != "" && n.Folder == r.Group.Folder && n.Version == r.Versions[version].Model.Name &&
			n.Type == m.place.Defs[version].Name && strings.EqualFold(n.Property, p.Name)
	})
}

func (m *matcher) rename(version int, p *model.Property) string {
	if i := m.find(version, p); i >= 0 {
		return m.placer.linker.opts.Renames[i].To
	}
	return ""
}

func (m *matcher) use(version int, p *model.Property) {
	m.placer.linker.used[m.find(version, p)] = true
}

// Members are the properties of the place's object in a version, its further
// members as one property last.
func (p *Place) Members(version int) []*model.Property { return p.members[version] }

// At returns the lineage of a version's property, nil if the place has none of
// that name there.
func (p *Place) At(version int, property string) *Lineage { return p.lineageNamed(version, property) }
