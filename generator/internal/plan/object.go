package plan

import (
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/operation"
)

// object is a Go type of stored objects: a node's storage type, or its clone in a compat package.
type object struct {
	node  *node
	clone *Package // nil for the storage type
}

// within returns the type of a member's objects, or the zero object if the member has none.
func (o object) within(m *member) object {
	if m.child == nil {
		return object{}
	}
	return object{m.child, o.clone}
}

// bag returns the package of the version whose values an object's property bag complements.
func (g *grouper) bag(o object) *Package {
	if o.clone != nil {
		return o.clone
	}
	return g.home(o.node)
}

// home returns the package of a node's version.
func (g *grouper) home(n *node) *Package { return g.byLabel[n.version.Label] }

// appendText appends the object's version, class and compat package to out.
func (o object) appendText(out []byte) []byte {
	if o.node == nil {
		return out
	}
	out = append(append(out, o.node.version.Label...), '.')
	out = strconv.AppendInt(out, int64(o.node.class), 10)
	if o.clone != nil {
		out = append(append(out, " in "...), o.clone.Label...)
	}
	return out
}

// link is a conversion between two objects, in both directions. It is between neighbours, between
// a storage type and a value in a bag, or fused over several steps.
type link struct {
	far, near object
	home      *Package // the package that declares its functions
	route     route    // of a fused link
	moves     []*linkMove
	derived   []*linkDerived
	empties   []*linkEmpty
	step      *Step // nil until the step is made
}

// linkMove states how one property converts. up are the entries of the far side's bag from which
// the near side takes the property. down are those of the near side's bag from which the far side
// takes it.
type linkMove struct {
	action    Action
	far, near *member
	child     *link // converts objects of a kept property; nil if both sides have the same type
	up, down  []*entry
	values    []string             // pairs of a far value and its name on the near side
	declared  *operation.Operation // moves the property, or one within it, to another object
}

// entry is a value in a bag: its key, its type, and the links between it and the value of the
// property, from far to near.
type entry struct {
	name    string
	written bool // the value is stored under this key, unless the key is in use
	like    *member
	form    object
	links   []*link
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

// neighbour returns the link of a node to its neighbour towards the hub.
func (g *grouper) neighbour(n *node) *link {
	return g.pair(object{node: n}, object{node: n.next}, g.home(n))
}

// pair links two objects of one place directly.
func (g *grouper) pair(far, near object, home *Package) *link {
	if l := g.links[linkKey{far: far, near: near, home: home}]; l != nil {
		return l
	}
	l := g.add(&link{far: far, near: near, home: home})
	if g.stopped() {
		return l
	}
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
	g.derive(l)
	g.applyChanges(l)
	return l
}

// keep hands a property over. If its name changes, its former bag keys are read too.
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

// steps reports whether a link is between two neighbours' storage types.
func (l *link) steps() bool {
	return l.far.clone == nil && l.near.clone == nil && l.far.node.next == l.near.node
}

// entries returns the entries of one side's bag that may store a member of the other side. If up
// is set, m is a near member and the bag is the far side's. Else m is a far member and the bag is
// the near side's. It returns none for a member without keys whose name is the key of another one.
func (g *grouper) entries(l *link, m *member, up bool) []*entry {
	live, owner := l.far, l.near
	if up {
		live, owner = owner, live
	}
	version := live.node.version.Index
	all, written := m.lineage.EntriesAt(version)
	if all == nil {
		name := chain.MemberKey(m.property.Name)
		if m.lineage.Place.HasKey(name) {
			return nil
		}
		return []*entry{{name: name, written: true, like: m, form: live.within(m)}}
	}
	var out []*entry
	for _, e := range all {
		x := &entry{name: e.Name, written: e == written, like: m, form: live.within(m)}
		if m.child != nil && !m.lineage.SameShape(version, e.Holder.Index) {
			holder := object{g.nodes[nodeKey{m.child.place, e.Holder.Index}], g.compat(l, m.lineage, owner, up)}
			if up {
				x.links = []*link{g.pair(holder, x.form, l.home)}
			} else {
				x.links = []*link{g.pair(x.form, holder, l.home)}
			}
			x.form = holder
		}
		out = append(out, x)
	}
	return out
}

// compat returns the package whose compat types have the shape of the values in an object's bag.
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

// appendText appends the link's moves, by classes. Two links between the same types do the same
// if their texts are equal.
func (l *link) appendText(out []byte) []byte {
	out = l.near.appendText(out)
	for _, mv := range l.moves {
		out = append(append(out, '\n'), mv.action.String()...)
		for _, m := range [...]*member{mv.far, mv.near} {
			if m != nil {
				out = append(append(out, ' '), m.ident...)
			}
		}
		if mv.child != nil {
			out = mv.child.near.appendText(append(out, ' '))
		}
		for _, e := range mv.up {
			out = e.appendText(append(out, " up "...))
		}
		for _, e := range mv.down {
			out = e.appendText(append(out, " down "...))
		}
		for _, value := range mv.values {
			out = append(append(out, " called "...), value...)
		}
	}
	for _, x := range l.derived {
		out = x.appendText(append(out, '\n'))
	}
	for _, x := range l.empties {
		out = append(append(out, " empty "...), x.far.ident...)
	}
	return out
}

func (e *entry) appendText(out []byte) []byte {
	out = append(append(out, e.name...), ' ')
	out = e.form.appendText(out)
	for _, l := range e.links {
		out = l.far.appendText(append(out, " by "...))
		out = l.near.appendText(append(out, '-'))
	}
	return out
}

// target identifies the functions of a far type's links.
type target struct {
	home, near          string // labels
	farClone, nearClone *Package
}

func (l *link) target() target {
	return target{l.home.Label, l.near.node.version.Label, l.far.clone, l.near.clone}
}

func (t target) String() string {
	label := func(clone *Package) string {
		if clone == nil {
			return "-"
		}
		return clone.Label
	}
	return strings.Join([]string{t.home, t.near, label(t.farClone), label(t.nearClone)}, " ")
}
