package plan

import (
	"slices"
	"strconv"
)

// route is the path of an object through versions: the nodes of the versions that have it, from
// the far end to the near one.
type route []*node

func (r route) near() *node { return r[len(r)-1] }

// id returns a text that identifies a route, for use as a map key.
func (r route) id() string {
	b := make([]byte, 0, 3*len(r))
	for _, n := range r {
		b = strconv.AppendInt(b, int64(n.version.Index), 36)
		b = append(b, ' ')
	}
	return string(b)
}

// onwards returns the route from a node to a later one, through all nodes between them.
func (n *node) onwards(target *node) route {
	r := route{n}
	for n != target {
		n = n.onward
		r = append(r, n)
	}
	return r
}

// fuse links the ends of a route directly, without the objects between them. It returns nil if
// there is nothing to convert.
func (g *grouper) fuse(r route) *link {
	switch {
	case len(r) < 2 || r[0] == nil:
		return nil
	case len(r) == 2 && r[0].next == r[1]:
		return g.neighbour(r[0])
	}
	l := g.span(r)
	if known := g.links[linkKey{l.far, l.near, l.home, r.id()}]; known != nil {
		return known
	}
	g.add(l)
	if g.stopped() {
		return l
	}
	reached := map[*member]bool{}
	for _, m := range r[0].members {
		mv := g.upwards(r, m)
		reached[mv.near] = true
		l.moves = append(l.moves, mv)
	}
	for _, m := range r.near().members {
		if !reached[m] {
			l.moves = append(l.moves, g.arrival(r, m))
		}
	}
	return l
}

// span returns a link of a route's ends, without moves.
func (g *grouper) span(r route) *link {
	return &link{far: object{node: r[0]}, near: object{node: r.near()}, home: g.home(r[0]), route: r}
}

// seam returns the link on which a route's i-th object may pass a property to the next object
// through a bag.
func (g *grouper) seam(r route, i int) *link {
	return &link{far: object{node: r[i]}, near: object{node: r[i+1]}, home: g.home(r[i])}
}

// upwards follows a member of a route's far end to its near end, step by step, and returns its
// move.
func (g *grouper) upwards(r route, m *member) *linkMove {
	mv := &linkMove{action: Keep, far: m}
	at, border := m, 0
	path := append(make(route, 0, len(r)), m.child)
	wasInBag := false
	for i, there := range r[1:] {
		here, version := r[i].version.Index, there.version.Index
		next := there.of(m.lineage)
		switch {
		case at != nil && m.lineage.Transfers(here, version):
			if r[i].next == there && m.lineage.ReadsOld(here, version) {
				mv.down = append(mv.down, g.before(path, g.entries(g.seam(r, i), at, false))...)
				mv.up = append(mv.up, g.behind(g.entries(g.seam(r, i), next, true), r[i+1:], m)...)
			}
			at = next
		case at != nil:
			if !wasInBag {
				mv.down = append(mv.down, g.before(path, g.entries(g.seam(r, i), at, false))...)
			}
			at, border = nil, i
			continue
		case next != nil && m.lineage.Key(version) == m.lineage.Key(r[border].version.Index):
			mv.up = g.behind(g.entries(g.seam(r, i), next, true), r[i+1:], m)
			at, wasInBag = next, true
		default:
			continue
		}
		path = append(path, next.child)
	}
	mv.down = once(mv.down)
	if at == nil {
		mv.action, mv.up = Stow, nil
		return mv
	}
	mv.up = once(mv.up)
	mv.near, mv.child = at, g.fuse(path)
	return mv
}

// once removes entries whose key occurred before.
func once(entries []*entry) []*entry {
	var out []*entry
	for _, e := range entries {
		if !slices.ContainsFunc(out, func(o *entry) bool { return o.name == e.name }) {
			out = append(out, e)
		}
	}
	return out
}

// before prepends the path of a member so far to the path to a bag.
func (g *grouper) before(path route, entries []*entry) []*entry {
	if l := g.fuse(path[:len(path):len(path)]); l != nil {
		for _, e := range entries {
			e.links = append([]*link{l}, e.links...)
		}
	}
	return entries
}

// behind appends the rest of a member's path, through the objects of rest, to the path out of a
// bag.
func (g *grouper) behind(entries []*entry, rest route, m *member) []*entry {
	if m.child == nil {
		return entries
	}
	var path route
	for _, n := range rest {
		if next := n.of(m.lineage); next != nil && next.child != nil && next.child.place == m.child.place {
			path = append(path, next.child)
		}
	}
	if l := g.fuse(path); l != nil {
		for _, e := range entries {
			e.links = append(e.links, l)
		}
	}
	return entries
}

// arrival returns the move of a member that a route's near end has and its far end lacks. It
// finds the version in which the member is read from the bag.
func (g *grouper) arrival(r route, m *member) *linkMove {
	j := len(r) - 1
	for m.lineage.Transfers(r[j-1].version.Index, r[j].version.Index) { // up to a gap: the far end lacks it
		j--
	}
	first := r[j].of(m.lineage)
	entries := g.entries(g.seam(r, j-1), first, true)
	return &linkMove{action: Fetch, near: m, up: g.behind(entries, r[j:], m)}
}
