package plan

import (
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/refine"
)

// node is an object in one version of one resource. Nodes of one class become one struct.
type node struct {
	place      *chain.Place
	kind       *Kind
	version    *chain.Version
	members    []*member
	byProperty map[*model.Property]*member
	def        *model.Def
	role       Role
	class      int
	next       *node   // the neighbour towards the hub, if its version has the object
	onward     *node   // the place's next object towards the hub, skipping versions without it
	links      []*link // links whose far end is the node
}

// member is one property of a node.
type member struct {
	property *model.Property
	lineage  *chain.Lineage
	ident    string
	child    *node
}

// makeNodes makes all nodes of a group, resource by resource.
func (g *grouper) makeNodes() {
	for _, k := range g.group.Kinds {
		g.kindNodes(k)
	}
}

type nodeKey struct {
	place   *chain.Place
	version int
}

func (g *grouper) kindNodes(k *Kind) {
	from := len(g.all)
	for _, v := range k.Resource.Versions {
		for _, p := range k.Resource.Places() {
			d := p.Defs[v.Index]
			if d == nil {
				continue
			}
			n := &node{place: p, kind: k, version: v, def: d, role: roleOf(p)}
			g.nodes[nodeKey{p, v.Index}] = n
			g.all = append(g.all, n)
			if n.isRoot() {
				g.rootNodes = append(g.rootNodes, n)
			}
		}
	}
	for _, n := range g.all[from:] {
		n.link(g.nodes, g.chosen)
	}
}

func roleOf(p *chain.Place) Role {
	switch p {
	case p.Resource.Root:
		return Spec
	case p.Resource.Status:
		return Status
	}
	return Nested
}

// isRoot reports whether a node is a spec, or a status that does not mirror the spec.
func (n *node) isRoot() bool { return n.role != Nested }

func (n *node) link(byKey map[nodeKey]*node, chosen refine.Names) {
	i := n.version.Index
	members := n.place.Members(i)
	names := make(refine.Identifiers, len(members))
	n.reserveAdded(names)
	n.byProperty = make(map[*model.Property]*member, len(members))
	live := make(map[*model.Property]*chain.Lineage, len(members))
	for _, l := range n.place.Lineages {
		if p := l.Live[i]; p != nil {
			live[p] = l
		}
	}
	for _, p := range members {
		m := &member{property: p, lineage: live[p], ident: fieldName(names, p.Name, chosen)}
		if c := m.lineage.Child(i); c != nil {
			m.child = byKey[nodeKey{c, i}]
		}
		n.members = append(n.members, m)
		n.byProperty[p] = m
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
	return n.byProperty[p]
}
