package plan

import (
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
)

// object is a Go type of stored objects: a node's storage type, or its clone in
// the compat package of a version.
type object struct {
	node  *node
	clone *Package // nil for the storage type
}

// within is the type of a member's objects, the zero object if it has none.
func (o object) within(m *member) object {
	if m.child == nil {
		return object{}
	}
	return object{m.child, o.clone}
}

// bag is the package of the version that an object's property bag is of.
func (g *grouper) bag(o object) *Package {
	if o.clone != nil {
		return o.clone
	}
	return g.byLabel[o.node.version.Label]
}

// text spells an object's type by its class.
func (o object) text() string {
	if o.node == nil {
		return ""
	}
	s := o.node.version.Label + "." + strconv.Itoa(o.node.class)
	if o.clone != nil {
		s += " in " + o.clone.Label
	}
	return s
}

// link is a conversion between two objects, both ways: between neighbours,
// between a storage type and what a bag holds, or fused over several steps.
type link struct {
	far, near object
	home      *Package // where its functions stand
	route     route    // of a fused one
	moves     []*linkMove
	step      *Step // once it is made
}

// linkMove is what becomes of one property. Keys of entries that the near side
// takes from the far side's bag are up, those that the far side takes from the
// near side's are down.
type linkMove struct {
	action    Action
	far, near *member
	child     *link // how objects are kept; nil if as they are
	up, down  []*entry
}

// entry is a value in a bag: its key, its type, and the way between it and the
// value of the property, from far to near.
type entry struct {
	name    string
	written bool // what a bag is given goes by it, if the name is free
	like    *member
	form    object
	way     []*link
}

type linkKey struct {
	far, near object
	home      *Package
	route     string
}

// add registers a link before its moves are known, since types are recursive.
func (g *grouper) add(l *link) *link {
	g.links[linkKey{l.far, l.near, l.home, l.route.id()}] = l
	l.far.node.links = append(l.far.node.links, l)
	return l
}

// neighbour is the link of a node to its neighbour towards the hub.
func (g *grouper) neighbour(n *node) *link {
	return g.pair(object{node: n}, object{node: n.next}, g.byLabel[n.version.Label])
}

// pair links two objects of one place directly.
func (g *grouper) pair(far, near object, home *Package) *link {
	if l := g.links[linkKey{far: far, near: near, home: home}]; l != nil {
		return l
	}
	l := g.add(&link{far: far, near: near, home: home})
	from, to := far.node.version.Index, near.node.version.Index
	for _, m := range far.node.members {
		if m.lineage.Transfers(from, to) {
			l.moves = append(l.moves, g.keep(l, m))
		} else {
			l.moves = append(l.moves, &linkMove{action: Stow, far: m, down: g.entries(l, m, false)})
		}
	}
	for _, m := range near.node.members {
		if !m.lineage.Transfers(from, to) {
			l.moves = append(l.moves, &linkMove{action: Fetch, near: m, up: g.entries(l, m, true)})
		}
	}
	return l
}

// keep hands a property over. Where its name changes, old keys are read too.
func (g *grouper) keep(l *link, m *member) *linkMove {
	near := l.near.node.of(m.lineage)
	mv := &linkMove{action: Keep, far: m, near: near}
	if m.child != nil {
		mv.child = g.pair(l.far.within(m), l.near.within(near), l.home)
	}
	if l.steps() && m.lineage.ReadsOld(l.far.node.version.Index, l.near.node.version.Index) {
		mv.up, mv.down = g.entries(l, near, true), g.entries(l, m, false)
	}
	return mv
}

// steps tells whether a link is that of two neighbours' storage types.
func (l *link) steps() bool {
	return l.far.clone == nil && l.near.clone == nil && l.far.node.next == l.near.node
}

// entries are where a member of a link's live side may lie in the other side's
// bag: up, a near member in the far bag; else a far member in the near bag.
func (g *grouper) entries(l *link, m *member, up bool) []*entry {
	live, owner := l.far, l.near
	if up {
		live, owner = owner, live
	}
	version := live.node.version.Index
	all, written := m.lineage.EntriesAt(version)
	if all == nil {
		return []*entry{{name: m.property.Name, written: true, like: m, form: live.within(m)}}
	}
	var out []*entry
	for _, e := range all {
		x := &entry{name: e.Name, written: e == written, like: m, form: live.within(m)}
		if m.child != nil && !m.lineage.SameShape(version, e.Holder.Index) {
			held := object{g.nodes[nodeKey{m.child.place, e.Holder.Index}], g.compat(l, m.lineage, owner, up)}
			if up {
				x.way = []*link{g.pair(held, x.form, l.home)}
			} else {
				x.way = []*link{g.pair(x.form, held, l.home)}
			}
			x.form = held
		}
		out = append(out, x)
	}
	return out
}

// compat is the compat package with the shape of what lies in an object's bag.
func (g *grouper) compat(l *link, lineage *chain.Lineage, owner object, up bool) *Package {
	far, near := l.far.node.version, l.near.node.version
	switch {
	case !l.steps():
		return g.bag(owner)
	case up:
		return g.byLabel[lineage.CompatFrom(far, near).Label]
	}
	return g.byLabel[lineage.CompatTo(far, near).Label]
}

// text spells what a link does, by classes: two links between the same types do
// the same if their texts are equal.
func (l *link) text() string {
	var b strings.Builder
	b.WriteString(l.near.text())
	for _, mv := range l.moves {
		b.WriteString("\n" + mv.action.String())
		for _, m := range []*member{mv.far, mv.near} {
			if m != nil {
				b.WriteString(" " + m.ident)
			}
		}
		if mv.child != nil {
			b.WriteString(" " + mv.child.near.text())
		}
		for _, e := range mv.up {
			b.WriteString(" up " + e.text())
		}
		for _, e := range mv.down {
			b.WriteString(" down " + e.text())
		}
	}
	return b.String()
}

func (e *entry) text() string {
	s := e.name + " " + e.form.text()
	for _, l := range e.way {
		s += " by " + l.far.text() + "-" + l.near.text()
	}
	return s
}

// target names the function of a link among those of its far type.
func (l *link) target() string {
	s := l.home.Label + " " + l.near.node.version.Label
	for _, o := range []object{l.far, l.near} {
		if o.clone != nil {
			s += " " + o.clone.Label
		}
		s += ","
	}
	return s
}
