package plan

import (
	"strconv"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// node is an object in one version of one resource. Nodes that are alike in
// every respect become one struct.
type node struct {
	place   *chain.Place
	kind    *Kind
	version *chain.Version
	members []*member
	def     *model.Def
	spec    bool // the root
	class   int
	next    *node             // the neighbour towards the hub, if the place has an object there
	onward  *node             // the next object of the place towards the hub, over gaps
	fused   map[string]*fused // by route: the ways that a conversion to the hub needs
}

// member is one property of a node.
type member struct {
	property *model.Property
	lineage  *chain.Lineage
	ident    string
	child    *node
}

// fused tells where each member of a node is found in a target further on.
type fused struct {
	target *node
	at     []location // as node.members
}

// location is where a member's value stands: a member of the target, or the
// target's bag, in the shape that it had last.
type location struct {
	member *member
	keys   []string
	via    *member
}

// nodes makes all nodes of a group, resource by resource.
func (g *grouper) nodes() {
	for _, k := range g.group.Kinds {
		g.kindNodes(k)
	}
}

type nodeKey struct {
	place   *chain.Place
	version int
}

func (g *grouper) kindNodes(k *Kind) {
	byKey := map[nodeKey]*node{}
	from := len(g.all)
	for _, v := range k.Resource.Versions {
		for _, p := range k.Resource.Places() {
			d := p.Defs[v.Index]
			if d == nil {
				continue
			}
			n := &node{place: p, kind: k, version: v, def: d, spec: p == k.Resource.Root, fused: map[string]*fused{}}
			byKey[nodeKey{p, v.Index}] = n
			g.all = append(g.all, n)
		}
	}
	for _, n := range g.all[from:] {
		n.link(byKey)
	}
}

func (n *node) link(byKey map[nodeKey]*node) {
	i := n.version.Index
	names := idents{}
	live := map[*model.Property]*chain.Lineage{}
	for _, l := range n.place.Lineages {
		if p := l.Live[i]; p != nil {
			live[p] = l
		}
	}
	for _, p := range n.place.Members(i) {
		m := &member{property: p, lineage: live[p], ident: names.field(p.Name)}
		if c := m.lineage.Child(i); c != nil {
			m.child = byKey[nodeKey{c, i}]
		}
		n.members = append(n.members, m)
	}
	if v := n.version.Next; v != nil {
		n.next = byKey[nodeKey{n.place, v.Index}]
	}
	if v := n.place.Next(n.version); v != nil {
		n.onward = byKey[nodeKey{n.place, v.Index}]
	}
}

// of returns the node's member of a lineage, or nil.
func (n *node) of(l *chain.Lineage) *member {
	p := l.Live[n.version.Index]
	if p == nil {
		return nil
	}
	for _, m := range n.members {
		if m.property == p {
			return m
		}
	}
	return nil
}

// route is the way of an object through versions: the nodes that it is live in,
// from the far end to the near one.
type route []*node

func (r route) near() *node { return r[len(r)-1] }

// id spells a route, for maps.
func (r route) id() string {
	var b []byte
	for _, n := range r {
		b = strconv.AppendInt(b, int64(n.version.Index), 36)
		b = append(b, ' ')
	}
	return string(b)
}

// onwards is the route from a node to a later one, through all objects between.
func (n *node) onwards(target *node) route {
	r := route{n}
	for n != target {
		n = n.onward
		r = append(r, n)
	}
	return r
}

// follow finds where a member of a route's far end stands at its near end, step
// by step, and the route of the objects that it leads to.
func (r route) follow(m *member) (location, route) {
	at := location{member: m}
	way := route{m.child}
	for i, there := range r[1:] {
		here, next := r[i].version.Index, there.of(m.lineage)
		switch {
		case at.member != nil && m.lineage.Transfers(here, there.version.Index):
			at = location{member: next}
		case at.member != nil:
			at = location{keys: keyNames(m.lineage, here), via: at.member}
			continue
		case next != nil && isRead(m.lineage, there.version.Index, at.keys[0]):
			at = location{member: next}
		default:
			continue
		}
		way = append(way, next.child)
	}
	return at, way
}

// isRead tells whether a lineage in a version takes its value from a bag under a
// key. One that no neighbour lacks has no key there.
func isRead(l *chain.Lineage, version int, key string) bool {
	k := l.Key(version)
	return k != nil && k.Names[0] == key
}

// keyNames are the names of a lineage's key in a version.
func keyNames(l *chain.Lineage, version int) []string {
	if k := l.Key(version); k != nil {
		return k.Names
	}
	return []string{l.Live[version].Name}
}

// fuse makes the fused way along a route, and those that its members need.
func (r route) fuse() {
	n, id := r[0], r.id()
	if n.fused[id] != nil {
		return
	}
	f := &fused{target: r.near()}
	n.fused[id] = f
	for _, m := range n.members {
		at, way := r.follow(m)
		f.at = append(f.at, at)
		if m.child != nil {
			way.fuse()
		}
	}
}

// end is the member whose type the value has in the end.
func (l location) end() *member {
	if l.via != nil {
		return l.via
	}
	return l.member
}
