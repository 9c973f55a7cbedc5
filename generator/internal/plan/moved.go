package plan

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// Moved describes where a property is that a declared change moves between objects, on both sides
// of a step.
type Moved struct{ Far, Near MovedEnd }

// MovedEnd is the location of a property on one side of a step, and that of its value in a bag of
// the other side. All names are those of stored objects.
type MovedEnd struct {
	// Path leads from the object of the step to the property.
	Path []string
	// Objects leads, on the other side, to the object whose bag has the value. These objects are
	// the first ones of Path, with the names of the other side.
	Objects []string
	// Key is the key in that bag. Within leads from the value under the key to the property, and
	// is empty if that is the value.
	Key    string
	Within []string
}

// ChangeID returns the name under which bags note the conversion of a property of a step with a
// declared change.
func (t *Step) ChangeID(d *Derived) string {
	if d.Moved != nil {
		return t.Near.StepName() + "." + strings.Join(d.Moved.Near.Path, ".")
	}
	return t.Near.StepName() + "." + d.Name()
}

// Ends returns where the property of a declared change is on both sides.
func (d *Derived) Ends() Moved {
	if d.Moved != nil {
		return *d.Moved
	}
	return Moved{
		Far:  MovedEnd{Path: []string{d.Far.Stored()}, Key: d.Properties[1]},
		Near: MovedEnd{Path: []string{d.Near.Stored()}, Key: d.NearKey},
	}
}

// Unmoved is a declared change that the plan does not apply in the step from Far to Near, because
// the bag of one of them cannot have the value of the property that moves.
type Unmoved struct {
	Place     *chain.Place
	Far, Near *chain.Version
	Operation operation.Operation // from Far to Near
}

// linkMoved is a [Moved] in terms of members.
type linkMoved struct{ far, near movedEnd }

// movedEnd is a [MovedEnd] in terms of members. Common are the first members of path, as the other
// side has them. Parents are the objects of both sides at the end of common, this side first.
type movedEnd struct {
	path, common []*member
	parents      [2]*node
}

func (e movedEnd) last() *member { return e.path[len(e.path)-1] }

// applyMoves applies the changes that move properties between two neighbours.
func (g *grouper) applyMoves(l *link) {
	from, to := l.far.node.version.Index, l.near.node.version.Index
	for _, mv := range l.far.node.place.Moves(from, to) {
		far, farOK := endOf(l.far.node, l.near.node, mv.Far)
		near, nearOK := endOf(l.near.node, l.far.node, mv.Near)
		if !farOK || !nearOK {
			g.unmoved(l, mv)
			continue
		}
		stow := g.leads(far.parents[0], func(m *linkMove) bool { return m.action == Stow && m.far == far.path[len(far.common)] })
		fetch := g.leads(near.parents[1], func(m *linkMove) bool { return m.action == Fetch && m.near == near.path[len(near.common)] })
		if stow == nil || fetch == nil || !far.fits(stow.down) || !near.fits(fetch.up) {
			g.unmoved(l, mv)
			continue
		}
		stow.declared, fetch.declared = &mv.Operation, &mv.Operation
		l.derived = append(l.derived, &linkDerived{far: far.last(), near: near.last(), operation: &mv.Operation, moved: &linkMoved{far, near}})
	}
}

// unmoved records a move that is not applied. The values of both properties are preserved then, and
// each version has its own.
func (g *grouper) unmoved(l *link, mv chain.Move) {
	far, near := l.far.node, l.near.node
	g.group.Unmoved = append(g.group.Unmoved, Unmoved{far.place, far.version, near.version, mv.Operation})
}

// leads returns the first move that satisfies is, in the step from a node to its neighbour. It
// returns nil if there is none.
func (g *grouper) leads(far *node, is func(*linkMove) bool) *linkMove {
	l := g.neighbour(far)
	if i := slices.IndexFunc(l.moves, is); i >= 0 {
		return l.moves[i]
	}
	return nil
}

// endOf follows a path from a node. Other is the neighbour's node of the same place.
func endOf(n, other *node, path []*chain.Lineage) (e movedEnd, ok bool) {
	e.parents = [2]*node{n, other}
	isCommon := true
	for i, lineage := range path {
		if n == nil {
			return e, false
		}
		m := n.of(lineage)
		if m == nil {
			return e, false
		}
		e.path, n = append(e.path, m), m.child
		if i == len(path)-1 || !isCommon {
			continue
		}
		as := e.parents[1].of(lineage)
		if isCommon = as != nil && as.child != nil && lineage.Transfers(e.parents[0].version.Index, e.parents[1].version.Index); isCommon {
			e.common, e.parents = append(e.common, as), [2]*node{m.child, as.child}
		}
	}
	return e, true
}

// fits reports whether the values in bags have the property.
func (e movedEnd) fits(entries []*entry) bool {
	_, ok := e.within(entries)
	return ok
}

// within returns the names from the value in a bag to the property. The value has the shape that
// the bag stores, so that the property may be in a bag of its own there.
func (e movedEnd) within(entries []*entry) (names []string, ok bool) {
	in := writtenOf(entries)
	at, via := in.form.node, in.link()
	for _, m := range e.path[len(e.common)+1:] {
		if at == nil {
			return nil, false
		}
		mv := via.moveOf(m)
		switch {
		case via == nil:
			names, at = append(names, chain.StoredName(m.property.Name)), m.child
		case mv == nil:
			return nil, false
		case mv.action == Keep:
			as := mv.far
			if as == m {
				as = mv.near
			}
			names, at, via = append(names, chain.StoredName(as.property.Name)), as.child, mv.child
		default:
			in = writtenOf(append(mv.up, mv.down...))
			names, at, via = append(names, model.StoredBag, in.name), in.form.node, in.link()
		}
	}
	return names, true
}

// link returns the link between the entry's value and that of the property; nil if both have the
// same type.
func (e *entry) link() *link {
	if len(e.links) == 0 {
		return nil
	}
	return e.links[0]
}

// moveOf returns the link's move of a member of one of its sides; nil if there is none.
func (l *link) moveOf(m *member) *linkMove {
	if l == nil {
		return nil
	}
	if i := slices.IndexFunc(l.moves, func(mv *linkMove) bool { return mv.far == m || mv.near == m }); i >= 0 {
		return l.moves[i]
	}
	return nil
}

// writtenOf returns the entry that a bag gets.
func writtenOf(entries []*entry) *entry {
	if i := slices.IndexFunc(entries, func(e *entry) bool { return e.written }); i >= 0 {
		return entries[i]
	}
	return entries[0]
}

// storedNames returns the names of members in storage.
func storedNames(path []*member) []string {
	var out []string
	for _, m := range path {
		out = append(out, chain.StoredName(m.property.Name))
	}
	return out
}

// plain returns a location for the plan.
func (e movedEnd) plain(entries []*entry) MovedEnd {
	within, _ := e.within(entries)
	return MovedEnd{Path: storedNames(e.path), Objects: storedNames(e.common), Key: writtenOf(entries).name, Within: within}
}

// movedDerivation returns the Derived of a property that moves.
func (g *grouper) movedDerivation(x *linkDerived) *Derived {
	far, near := x.moved.far, x.moved.near
	stow := g.leads(far.parents[0], func(m *linkMove) bool { return m.action == Stow && m.far == far.path[len(far.common)] })
	fetch := g.leads(near.parents[1], func(m *linkMove) bool { return m.action == Fetch && m.near == near.path[len(near.common)] })
	d := &Derived{
		Far: g.fieldOf(far), Near: g.fieldOf(near), Operation: x.operation,
		Moved: &Moved{far.plain(stow.down), near.plain(fetch.up)},
	}
	d.Properties, d.NearKey = []string{far.last().property.Name, d.Moved.Far.Key}, d.Moved.Near.Key
	return d
}

// fieldOf returns the field of the property at the end of a path.
func (g *grouper) fieldOf(e movedEnd) *Field {
	n := e.parents[0]
	for _, m := range e.path[len(e.common) : len(e.path)-1] {
		n = m.child
	}
	return g.structs[n.class].field(e.last())
}

// declaresMove reports whether the user has declared that a property of the node's object moves.
func (n *node) declaresMove() bool { return len(n.place.Departures(n.version.Index)) > 0 }
