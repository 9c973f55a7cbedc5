package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
)

// Expression states which members of the hub's spec an API version cannot represent.
type Expression struct {
	Label string
	// Lacks is the number of one of the kind's Lists; 0 means that the version represents every
	// member.
	Lacks int
	Hub   bool
	// inexact means that the list may have more than the version lacks.
	inexact bool
}

// isInexact reports whether the list of a version may have more than it lacks.
func (k *Kind) isInexact(v *chain.Version) bool {
	return slices.ContainsFunc(k.Expressions, func(e Expression) bool { return e.Label == v.Label && e.inexact })
}

// express finds the members of the hub that each version of each kind cannot represent.
func (g *grouper) express() {
	links := map[*node]*link{}
	seen := map[*link]bool{}
	for _, n := range g.all {
		if n.role == Spec {
			links[n] = g.fuse(n.onwards(n.last()))
			g.linkStored(links[n], seen)
		}
	}
	carries, mixed, free, replaced := g.carrying(), g.mixed(), g.free(), g.replaced()
	tables := map[*Kind]*listTable{}
	for _, n := range g.all {
		if n.role != Spec || n.version.Pruned {
			continue
		}
		x := &expresser{g: g, carries: carries, mixed: mixed, free: free, replaced: replaced, version: n.version.Index, lists: map[expressed]*lackList{}}
		if tables[n.kind] == nil {
			tables[n.kind] = newListTable()
		}
		lacks := tables[n.kind].add(x.object(links[n], n.last()))
		n.kind.Expressions = append(n.kind.Expressions,
			Expression{Label: n.version.Label, Lacks: lacks, Hub: n.onward == nil, inexact: x.inexact})
	}
	for k, t := range tables {
		k.Lists = t.lists
	}
}

// replacement is a key of the hub's bag whose value a hand-written step converts into other
// properties, in all versions after a given one.
type replacement struct {
	key   string
	after int
}

// replaced returns, by the hub's objects, the bag keys of properties whose hand-written
// conversion the metadata requires. An object that only contains such objects has an empty list.
func (g *grouper) replaced() map[*node][]replacement {
	found := map[*node][]replacement{}
	var queue []*node
	for _, n := range g.all {
		if n.onward == nil {
			continue
		}
		for _, m := range n.members {
			if n.place.Mode(n.version.Index, m.property) == chain.Custom {
				found[n.last()] = append(found[n.last()], keysOf(m, n.version.Index)...)
				queue = append(queue, n.last())
			}
		}
	}
	if len(queue) == 0 {
		return nil
	}
	g.spread(queue, func(n *node) bool {
		_, known := found[n]
		if !known {
			found[n] = nil
		}
		return !known
	})
	return found
}

// spread calls add for each object that has some objects as members, directly or in other objects,
// but not for what has an object for which add returns false.
func (g *grouper) spread(from []*node, add func(*node) bool) {
	around := g.around()
	for at := 0; at < len(from); at++ {
		for _, n := range around[from[at]] {
			if add(n) {
				from = append(from, n)
			}
		}
	}
}

// free returns the objects that have free JSON, directly or in objects that they contain.
func (g *grouper) free() map[*node]bool {
	free := map[*node]bool{}
	var some []*node
	for _, n := range g.all {
		if slices.ContainsFunc(n.members, (*member).isFree) {
			free[n] = true
			some = append(some, n)
		}
	}
	g.spread(some, func(n *node) bool {
		known := free[n]
		free[n] = true
		return !known
	})
	return free
}

// isFree reports whether the values of a member, or those in its lists and maps, are free JSON.
func (m *member) isFree() bool {
	_, inner := chain.Unwrap(m.property.Type)
	_, free := inner.(*model.Any)
	return free
}

// around returns, for each object, the objects that have it as a member.
func (g *grouper) around() map[*node][]*node {
	out := map[*node][]*node{}
	for _, n := range g.all {
		for _, m := range n.members {
			if m.child != nil {
				out[m.child] = append(out[m.child], n)
			}
		}
	}
	return out
}

// keysOf returns the bag keys under which a property's value may be stored.
func keysOf(m *member, version int) []replacement {
	entries, _ := m.lineage.EntriesAt(version)
	if entries == nil {
		return []replacement{{chain.MemberKey(m.property.Name), version}}
	}
	var out []replacement
	for _, e := range entries {
		out = append(out, replacement{e.Name, version})
	}
	return out
}

// linkStored links the objects that a version stores in bags with the types that they have there,
// recursively.
func (g *grouper) linkStored(l *link, seen map[*link]bool) {
	if l == nil || seen[l] {
		return
	}
	seen[l] = true
	for _, mv := range l.moves {
		g.linkStored(mv.child, seen)
		for _, e := range mv.down {
			g.linkStored(g.stored(l, mv, e), seen)
		}
	}
}

// stored links the objects of a far property with those of a bag entry. It returns nil if the types
// are the same or the property has no objects.
func (g *grouper) stored(l *link, mv *linkMove, e *entry) *link {
	if len(e.links) == 0 {
		return nil
	}
	return g.pair(l.far.within(mv.far), e.form, l.home)
}

// carrying returns the links whose far side lacks something of the near side, directly or in an
// object that they contain.
func (g *grouper) carrying() map[*link]bool {
	carries := map[*link]bool{}
	g.complete(carries, func(l *link) bool {
		return slices.ContainsFunc(l.moves, func(mv *linkMove) bool { return mv.action != Keep || len(mv.down) > 0 || carries[mv.child] }) || g.further(l) != nil
	})
	return carries
}

// mixed returns the links that convert further members, directly or in an object that they
// contain.
func (g *grouper) mixed() map[*link]bool {
	mixed := map[*link]bool{}
	g.complete(mixed, func(l *link) bool {
		return g.isMixed(l) || slices.ContainsFunc(l.moves, func(mv *linkMove) bool {
			return mixed[mv.child] || slices.ContainsFunc(mv.down, func(e *entry) bool { return mixed[g.stored(l, mv, e)] })
		})
	})
	return mixed
}

// isMixed reports whether only a conversion shows what the far side of a link represents: if
// it depends on a further member's value, or if a bag stores objects whose further members
// convert.
func (g *grouper) isMixed(l *link) bool {
	open := l.near.node.open()
	return g.further(l) != nil || open != nil && open.child != nil
}

// expresser finds the members of the hub's objects that one version cannot represent.
type expresser struct {
	g        *grouper
	carries  map[*link]bool
	mixed    map[*link]bool
	free     map[*node]bool
	replaced map[*node][]replacement
	version  int
	lists    map[expressed]*lackList
	inexact  bool // some list has more than the version lacks
}

// expressed is an object of the hub, and the link that leads to it. The link is nil if the
// version's type is the same, or if the version is the hub.
type expressed struct {
	link *link
	near *node
}

// lackList lists the members of an object that a version lacks.
type lackList struct {
	items []lack
	done  bool // all items are added
}

// lack is an item, without the number of its list, and the list of members that are lacked within
// it. A nil list means that the whole item is lacked.
type lack struct {
	item   ListEntry
	within *lackList
}

func (x *expresser) isSilent(conv *link, near *node) bool {
	_, some := x.replaced[near]
	return !x.carries[conv] && !some
}

// object lists the members of an object that are lacked; nil if none are. A list may contain
// itself, because types may be recursive.
func (x *expresser) object(conv *link, near *node) *lackList {
	if x.isSilent(conv, near) {
		return nil
	}
	l := x.lists[expressed{conv, near}]
	if l == nil {
		l = &lackList{}
		x.lists[expressed{conv, near}] = l
		x.items(l, conv, near)
		x.replacements(l, near)
		l.done = true
	}
	if l.done && len(l.items) == 0 {
		return nil
	}
	return l
}

// replacements adds the bag keys of an object whose values a hand-written step has converted into
// other properties.
func (x *expresser) replacements(l *lackList, near *node) {
	whole := map[ListEntry]bool{}
	for _, i := range l.items {
		whole[i.item] = whole[i.item] || i.within == nil
	}
	for _, r := range x.replaced[near] {
		if key := (ListEntry{Key: r.key}); r.after < x.version && !whole[key] {
			whole[key] = true
			l.add(key, nil)
		}
	}
}

func (l *lackList) add(item ListEntry, within *lackList) {
	l.items = append(l.items, lack{item, within})
}

// items adds the members of an object that a version lacks, wholly or partly, and the keys that
// the version reads from the object's bag.
//
// If the version's objects convert further members, the name of a member does not show whether
// the version represents it: its value does, and what the other versions have. Then all members
// that do not have a property on both sides are added, and no keys. The runtime converts such an
// object to the version and back, to find out what it lacks of these.
func (x *expresser) items(l *lackList, conv *link, near *node) {
	if conv == nil {
		for _, m := range near.members {
			x.member(l, m, nil)
		}
		return
	}
	converts := x.g.further(conv) != nil
	x.inexact = x.inexact || converts
	for _, mv := range conv.moves {
		switch {
		case x.g.isConverted(conv, mv):
		case mv.action == Fetch, mv.action == Keep && converts && mv.near == near.open():
			l.add(itemOf(mv.near), nil)
		case mv.action == Keep:
			x.member(l, mv.near, mv.child)
		}
		for _, e := range mv.down {
			if !converts {
				x.key(l, e, x.g.stored(conv, mv, e))
			}
		}
	}
}

func (x *expresser) member(l *lackList, m *member, conv *link) {
	if m.child == nil {
		return
	}
	if inner := x.object(conv, m.child); inner != nil {
		l.add(itemWithMaps(m), inner)
	}
}

// key adds the part of a bag entry that a version cannot represent. If only a conversion shows
// which part that is, the key is not added, as if the version lacked all of the entry. So it is
// for free JSON in entries too: a member of it may have the name of a property bag.
func (x *expresser) key(l *lackList, e *entry, conv *link) {
	if x.mixed[conv] || e.like.isFree() || x.free[e.like.child] {
		x.inexact = true
		return
	}
	item := ListEntry{Key: e.name, Maps: keyMaps(e.like)}
	if x.carries[conv] {
		if inner := x.object(conv, conv.near.node); inner != nil {
			l.add(item, inner)
			return
		}
	}
	l.add(item, nil)
}

// keyMaps counts the maps around the objects that are stored under a member's key.
func keyMaps(m *member) int {
	if m.child == nil {
		return 0
	}
	wrap, _ := chain.Unwrap(m.property.Type)
	return strings.Count(wrap, "m")
}

// itemOf returns the item of a member, or that of all additional members.
func itemOf(m *member) ListEntry {
	if m.property.Name == chain.AdditionalName {
		return ListEntry{Rest: true}
	}
	return ListEntry{Name: chain.StoredName(m.property.Name)}
}

// itemWithMaps returns the item of a member, with the number of maps around its objects.
func itemWithMaps(m *member) ListEntry {
	item := itemOf(m)
	if !item.Rest {
		wrap, _ := chain.Unwrap(m.property.Type)
		item.Maps = strings.Count(wrap, "m")
	}
	return item
}

// word quotes a text that is empty, or has other characters than letters, digits and "_-.$@".
func word(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.$@", r))
	})
	if plain {
		return s
	}
	return strconv.Quote(s)
}
