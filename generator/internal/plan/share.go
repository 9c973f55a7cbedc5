package plan

import "slices"

// share finds the storage types that are equal to their neighbour's. Names, fields and children
// are the same, and every step to the neighbour hands each property over under its own name. Such
// a type is declared once, nearest to the hub.
func (g *grouper) share() {
	shared := make([]bool, len(g.structs))
	for class := range shared {
		shared[class] = g.structs[class].Role == Nested
	}
	for _, n := range g.all {
		if shared[n.class] && !g.alike(n) {
			shared[n.class] = false
		}
	}
	for changed := true; changed && !g.stopped(); {
		changed = false
		g.hosts(shared)
		for _, n := range g.all {
			if shared[n.class] && !g.hosted(n) {
				shared[n.class], changed = false, true
			}
		}
	}
	g.hosts(shared)
}

// alike reports whether a node's struct equals its neighbour's, apart from their children. It
// compares names, fields, defaults and list keys.
func (g *grouper) alike(n *node) bool {
	if n.next == nil {
		return false
	}
	far, near := g.structs[n.class], g.structs[n.next.class]
	step := g.neighbour(n)
	if far.Name != near.Name || len(far.Fields) != len(near.Fields) || g.touched[step] || far.Own != (Hand{}) || g.custom(n) {
		return false
	}
	for i, f := range far.Fields {
		if f.Preset() != near.Fields[i].Preset() || !slices.Equal(f.Keys(), near.Fields[i].Keys()) {
			return false
		}
	}
	for _, mv := range step.moves {
		if mv.action != Keep || mv.far.ident != mv.near.ident || mv.far.property.Name != mv.near.property.Name {
			return false
		}
	}
	return true
}

// hosts computes the struct that declares each storage type if the given classes are shared.
func (g *grouper) hosts(shared []bool) {
	for class, s := range g.structs {
		n := g.sample[class]
		for shared[n.class] {
			n = n.next
		}
		s.Host = g.structs[n.class]
	}
}

// hosted reports whether a node and its neighbour have the same host, and their children too. A
// child that is not shared is its own host.
func (g *grouper) hosted(n *node) bool {
	if g.structs[n.class].Host != g.structs[n.next.class].Host {
		return false
	}
	for _, m := range n.members {
		if m.child == nil {
			continue
		}
		near := n.next.of(m.lineage).child
		if g.structs[m.child.class].Host != g.structs[near.class].Host {
			return false
		}
	}
	return true
}
