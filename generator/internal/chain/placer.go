package chain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// places builds all places of a resource from the spec and from the status. The status has places
// of its own if it differs from the spec in any version, also in a version that the chain now
// skips. In other versions it mirrors the spec.
func (l *linker) places(r *Resource) {
	b := &placer{linker: l, resource: r, shapes: newShapes(l.ctx, r.Versions), memo: map[string]*Place{}, maps: map[*model.Map]*model.Def{}}
	specs, statuses := make([]*model.Def, len(r.Versions)), make([]*model.Def, len(r.Versions))
	r.record = l.upToDate(r.Model, l.opts.Records[strings.ToLower(r.Model.Type)])
	own := r.record.hasStatus()
	for i, v := range r.Versions {
		specs[i] = v.Model.Spec.(*model.Ref).Def
		statuses[i] = specs[i]
		if v.Model.Status != nil {
			statuses[i], own = v.Model.Status.(*model.Ref).Def, true
		}
	}
	r.past = l.past(r)
	b.lax = r.record != nil && r.record.EveryPath
	r.Root = b.place(specs, r.past.specs)
	if own {
		b.within = true
		r.Status = b.place(statuses, r.past.statuses)
	}
	r.shareBags()
	b.giveAllKeys()
}

// placer builds the places of one resource.
type placer struct {
	linker   *linker
	resource *Resource
	shapes   *shapes
	memo     map[string]*Place
	maps     map[*model.Map]*model.Def // the objects that maps are stored as
	stack    []*Place                  // from the root to the current place
	within   bool                      // the current place is within the status
	lax      bool                      // the ledger has rows at other paths too
}

// place returns the place of a vector of definitions and of the ledger's spots for the objects of
// each version. Without rows in the ledger, a recursive object is the nearest place on the stack
// with the same definitions.
func (b *placer) place(defs []*model.Def, old []*spot) *Place {
	key := b.key(defs, old)
	if p := b.memo[key]; p != nil {
		return p
	}
	if none(old) {
		for _, p := range slices.Backward(b.stack) {
			if slices.Equal(p.Defs, defs) {
				return p
			}
		}
	}
	p := &Place{
		Resource: b.resource, Defs: defs,
		members: make([][]*model.Property, len(defs)),
		linked:  make([][]int, len(defs)),
		keys:    map[lineageKind]*Key{}, taken: map[string]lineageKind{},
		old:      old,
		Observed: b.within,
	}
	b.memo[key] = p
	b.resource.places = append(b.resource.places, p)
	if p.index(); b.linker.stopped() {
		return p
	}
	b.stack = append(b.stack, p)
	b.link(p)
	p.index()
	for _, l := range p.Lineages {
		if b.linker.stopped() {
			break
		}
		b.descend(l)
	}
	b.stack = b.stack[:len(b.stack)-1]
	return p
}

func none(old []*spot) bool {
	return !slices.ContainsFunc(old, (*spot).isGiven)
}

// key identifies a vector of definitions together with the ledger's rows for it.
func (b *placer) key(defs []*model.Def, old []*spot) string {
	var key []byte
	for i, d := range defs {
		switch {
		case d != nil && d.Map != nil:
			key = append(key, "map "...)
			fallthrough
		case d != nil:
			key = model.AppendQuote(key, d.Name)
		}
		if old[i].isGiven() {
			key = append(key, '/')
			key = strconv.AppendInt(key, int64(old[i].class), 36)
		}
		key = append(key, ' ')
	}
	return string(key)
}

// link finds the lineages of a place, first those of the main line, and then those of each leaf
// by comparison with its neighbour.
func (b *placer) link(p *Place) {
	for _, i := range b.resource.order {
		if b.linker.stopped() {
			return
		}
		if d := p.Defs[i]; d != nil {
			p.members[i] = members(d.Object())
			m := matcher{placer: b, place: p, version: i, prev: p.before(i), rest: p.members[i]}
			m.run()
		}
	}
	b.checkNames(p)
	p.nameLineages()
}

// descend divides a lineage into segments and builds their places.
func (b *placer) descend(l *Lineage) {
	l.shapes, l.kinds = make([]int, len(l.Live)), make([]string, len(l.Live))
	l.epochs = b.epochs(l)
	for i, q := range l.Live {
		if q != nil {
			l.shapes[i] = b.shapes.of(q.Type)
		}
	}
	b.open(l)
	for _, i := range b.resource.order {
		q := l.Live[i]
		if q == nil {
			continue
		}
		wrap, inner := Unwrap(q.Type)
		l.kinds[i] = wrap + " " + model.ScalarText(inner) + epoch(l.epochs[i])
		if ref, ok := inner.(*model.Ref); ok {
			b.segment(l, wrap+epoch(l.epochs[i])).defs[i] = ref.Def
		}
	}
	for _, s := range l.segments {
		old := make([]*spot, len(s.defs))
		for i, d := range s.defs {
			if d != nil {
				if old[i] = l.Place.old[i].child(l.Live[i].Name); old[i] == nil && d.Map == nil {
					old[i] = b.resource.past.plainly(b.resource.Versions[i], b.within, d)
				}
			}
		}
		s.place = b.place(s.defs, old)
	}
}

// segment returns the segment of objects in the same lists and maps, without a break between
// them.
func (b *placer) segment(l *Lineage, wrap string) *segment {
	for _, s := range l.segments {
		if s.wrap == wrap {
			return s
		}
	}
	s := &segment{wrap: wrap, defs: make([]*model.Def, len(b.resource.Versions))}
	l.segments = append(l.segments, s)
	return s
}
