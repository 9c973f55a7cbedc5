package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
)

// Expression tells what of the hub's spec an API version cannot express.
type Expression struct {
	Label string
	// Lacks is the number of a list of the kind; 0 for none.
	Lacks int
	Hub   bool
}

// express finds what each version of each kind cannot express.
func (g *grouper) express() {
	links := map[*node]*link{}
	seen := map[*link]bool{}
	for _, n := range g.all {
		if n.role == Spec {
			links[n] = g.fuse(n.onwards(n.last()))
			g.linkHeld(links[n], seen)
		}
	}
	says, replaced := g.saying(), g.replaced()
	tables := map[*Kind]*listTable{}
	for _, n := range g.all {
		if n.role != Spec || n.version.Pruned {
			continue
		}
		x := &expresser{g: g, says: says, replaced: replaced, version: n.version.Index, lists: map[expressed]*lackList{}, alike: map[[2]*node]*lackList{}}
		if tables[n.kind] == nil {
			tables[n.kind] = newListTable()
		}
		n.kind.Expressions = append(n.kind.Expressions,
			Expression{Label: n.version.Label, Lacks: tables[n.kind].add(x.object(links[n], n.last())), Hub: n.onward == nil})
	}
	for k, t := range tables {
		k.Lists = t.lists
	}
}

// replacement is a bag key of the hub's whose value a hand-written step has put
// into other properties, in all versions after one.
type replacement struct {
	key   string
	after int
}

// replaced finds by the hub's objects what metadata says that hand-written steps
// convert. It has an empty list for objects that merely have such objects in them.
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
	around := g.around()
	for at := 0; at < len(queue); at++ {
		for _, n := range around[queue[at]] {
			if _, known := found[n]; !known {
				found[n] = nil
				queue = append(queue, n)
			}
		}
	}
	return found
}

// around finds, for each object, those that have it as a member.
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

// keysOf are the bag keys that a property's value goes by.
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

// linkHeld links what a version puts into bags with the shapes that bags hold, all
// the way down.
func (g *grouper) linkHeld(l *link, seen map[*link]bool) {
	if l == nil || seen[l] {
		return
	}
	seen[l] = true
	for _, mv := range l.moves {
		g.linkHeld(mv.child, seen)
		for _, e := range mv.down {
			g.linkHeld(g.held(l, mv, e), seen)
		}
	}
}

// held links the objects of a far property with those of an entry that it goes by;
// nil where they are the same, or none.
func (g *grouper) held(l *link, mv *linkMove, e *entry) *link {
	if len(e.links) == 0 {
		return nil
	}
	return g.pair(l.far.within(mv.far), e.form, l.home)
}

// saying finds the links that lack something of their near side, or whose children
// do.
func (g *grouper) saying() map[*link]bool {
	says := map[*link]bool{}
	g.complete(says, func(l *link) bool {
		return slices.ContainsFunc(l.moves, func(mv *linkMove) bool { return mv.action != Keep || len(mv.down) > 0 || says[mv.child] })
	})
	return says
}

// expresser finds what a version cannot express of the hub's objects.
type expresser struct {
	g        *grouper
	says     map[*link]bool
	replaced map[*node][]replacement
	version  int
	lists    map[expressed]*lackList
	alike    map[[2]*node]*lackList // by an object, and what it is read as
}

// expressed is an object of the hub's, and the link that leads there; nil for one
// that is alike in the version, or the hub's own.
type expressed struct {
	link *link
	near *node
}

// lackList is what a version lacks of an object.
type lackList struct {
	items []lack
	done  bool // all items are there
}

// lack is an item, without the number of its list, and what is lacked within; nil for all.
type lack struct {
	item   ListEntry
	within *lackList
}

func (x *expresser) isSilent(conv *link, near *node) bool {
	_, some := x.replaced[near]
	return !x.says[conv] && !some
}

// object finds what is lacked of an object, nil if nothing is. Types refer to each
// other, so that a list may stand within itself.
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
		l.nameAll(near)
		l.done = true
	}
	if l.done && len(l.items) == 0 {
		return nil
	}
	return l
}

// nameAll adds the other members of a node to a list of additional members, so that these are told
// from them in bags.
func (l *lackList) nameAll(near *node) {
	listed := map[ListEntry]bool{}
	for _, i := range l.items {
		i.item.Maps = 0
		listed[i.item] = true
	}
	if !listed[ListEntry{Rest: true}] {
		return
	}
	for _, m := range near.members {
		if item := itemOf(m); !listed[item] {
			l.add(item, &lackList{done: true})
		}
	}
	l.add(ListEntry{Closed: true}, nil)
}

// replacements adds the keys of an object whose values a hand-written step has put into other
// properties.
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

// items finds the members of an object that a version lacks, or lacks something of,
// and the keys of the object's bag that it reads.
func (x *expresser) items(l *lackList, conv *link, near *node) {
	if conv == nil {
		for _, m := range near.members {
			x.member(l, m, nil)
		}
		return
	}
	f := x.g.further(conv)
	for _, mv := range conv.moves {
		switch {
		case x.g.isConverted(conv, mv):
		case mv.action == Fetch:
			x.fetched(l, conv, mv.near)
		case mv.action == Keep:
			x.member(l, mv.near, mv.child)
		}
		if f != nil && !f.Typed && mv.far != nil && mv.far == conv.far.node.open() {
			continue
		}
		for _, e := range mv.down {
			x.key(l, e, x.g.held(conv, mv, e))
		}
	}
	if f != nil {
		x.further(l, conv, f)
		x.named(l, conv, f)
	}
}

// fetched finds what a version lacks of a property that its objects do not name.
func (x *expresser) fetched(l *lackList, conv *link, near *member) {
	if near.property.Name == chain.AdditionalName {
		l.add(itemOf(near), x.g.otherFurthers(conv, near))
		return
	}
	f, shown := x.g.shows(conv, near)
	if !shown {
		l.add(itemOf(near), nil)
	} else if within := x.shownAs(f, near.child, conv.far.node.open()); within != nil {
		l.add(itemOf(near), within)
	}
}

// shownAs is what a version lacks of values that it shows among further members; nil for nothing.
func (x *expresser) shownAs(f chain.Further, object *node, open *member) *lackList {
	kind := open.elemKind()
	l := &lackList{done: true}
	switch {
	case f.Type != nil:
	case kind == FurtherKind(f):
		return x.byName(object, open.child)
	default:
		l.items = flat().items
	}
	if kind != "a" && kind != FurtherKind(f) {
		l.add(ListEntry{Kind: kind}, nil)
	}
	if len(l.items) == 0 {
		return nil
	}
	return l
}

// byName is what a version lacks of objects that it reads as those of another type; nil for
// nothing.
func (x *expresser) byName(object, as *node) *lackList {
	at := [2]*node{object, as}
	l := x.alike[at]
	if l == nil {
		l = &lackList{}
		x.alike[at] = l
		named := as.named()
		for _, m := range object.members {
			x.likeMember(l, m, named[m.property.Name])
		}
		for _, n := range as.members { // of what bags have
			if n.property.Name != chain.AdditionalName && n.child == nil {
				l.add(ListEntry{Key: chain.MemberKey(n.property.Name)}, kindList(kindOf(n)))
			}
		}
		if as.open() == nil {
			l.close(as)
		}
		l.done = true
	}
	if l.done && len(l.items) == 0 {
		return nil
	}
	return l
}

// close adds to a list that a version has no other members than those of a node. Objects are named:
// what lies in bags is listed of scalars.
func (l *lackList) close(as *node) {
	listed := map[ListEntry]bool{}
	for _, i := range l.items {
		listed[i.item] = true
	}
	for _, n := range as.members {
		if n.child != nil && !listed[itemWithMaps(n)] {
			l.add(ListEntry{Additional: itemOf(n).Name}, nil)
		}
	}
	l.add(ListEntry{Closed: true}, nil)
}

// likeMember is what a version lacks of a member that it reads as one of another type, nil for
// none. Members of one kind are both objects, or neither.
func (x *expresser) likeMember(l *lackList, m, as *member) {
	switch {
	case as == nil || kindOf(as) != kindOf(m) || m.property.Name == chain.AdditionalName && m.child != nil:
		l.add(itemOf(m), nil)
	case m.child != nil:
		if inner := x.byName(m.child, as.child); inner != nil {
			l.add(itemWithMaps(m), inner)
		}
	}
}

// flat says that a version shows all of an object as JSON.
func flat() *lackList { return &lackList{items: []lack{{item: ListEntry{JSON: true}}}, done: true} }

// named finds the additional members of the hub that a version has as properties, and those that it
// cannot show since it has their names for something else.
func (x *expresser) named(l *lackList, conv *link, f *Further) {
	near := conv.near.node.open()
	if near == nil {
		return
	}
	far := x.g.farSide(conv)
	has := conv.near.node.named()
	seen := map[string]bool{}
	addList := func(name string, within *lackList) {
		if !seen[name] && has[name] == nil {
			seen[name] = true
			l.add(ListEntry{Additional: name}, within)
		}
	}
	add := func(name, kind string) {
		addList(name, kindList(kind))
	}
	for _, m := range conv.far.node.members {
		name := m.lineage.Name()
		isThis := func(n chain.Further) bool { return hasKind(n, m) }
		if conv.near.node.of(m.lineage) == nil && slices.ContainsFunc(far.named[name], isThis) {
			add(name, strings.ReplaceAll(kindOf(m), "o", "-"))
		}
	}
	for _, m := range conv.far.node.members {
		if m.property.Name != chain.AdditionalName {
			add(m.property.Name, "-")
		}
	}
	for _, name := range f.Near {
		if !far.foreign[name] {
			add(name, "-")
		}
	}
	open := conv.far.node.open()
	if !f.Typed || open != nil && open.lineage.Transfers(conv.far.node.version.Index, conv.near.node.version.Index) {
		return
	}
	for _, n := range f.Named {
		if FurtherKind(n) == near.elemKind() && x.g.isShown(conv, n) {
			addList(n.Name, x.shownAs(n, near.child, open))
		}
	}
}

// namedKey is the key of named further members that have none, where some are objects.
const namedKey = "$namedProperties"

// further finds the keys whose values an open version shows among its further members, and of
// further members those whose names it has for something else.
func (x *expresser) further(l *lackList, conv *link, f *Further) {
	open := conv.far.node.open()
	if open == nil {
		return
	}
	listed := map[ListEntry]bool{}
	for _, i := range l.items {
		listed[i.item] = true
	}
	for _, n := range f.Named {
		if key := (ListEntry{Key: n.Key}); x.g.isShown(conv, n) && !listed[key] {
			l.add(key, x.shownAs(n, x.g.nodes[nodeKey{n.Child, n.Holder}], open))
		}
	}
	named := &lackList{done: true}
	kind := open.elemKind()
	if f.Typed && strings.HasSuffix(kind, "o") {
		return
	}
	if kind != "a" {
		named.add(ListEntry{Kind: kind}, nil)
	}
	for _, m := range conv.far.node.members {
		if m.property.Name != chain.AdditionalName {
			named.add(itemOf(m), nil)
		}
	}
	if len(named.items) == 0 {
		named = nil
	}
	if f.Typed {
		l.add(ListEntry{Key: namedKey}, named)
	} else {
		l.add(ListEntry{Key: chain.AdditionalKey}, named)
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

// key finds what a version cannot express of what lies in a bag.
func (x *expresser) key(l *lackList, e *entry, conv *link) {
	item := ListEntry{Key: e.name, Maps: keyMaps(e.like)}
	if x.says[conv] {
		if inner := x.object(conv, conv.near.node); inner != nil {
			l.add(item, inner)
			return
		}
	}
	l.add(item, nil)
}

// keyMaps counts the maps around the objects that lie under a member's key.
func keyMaps(m *member) int {
	if m.child == nil {
		return 0
	}
	wrap, _ := chain.Unwrap(m.property.Type)
	return strings.Count(wrap, "m")
}

// itemOf is the item of a member, or that of all additional members.
func itemOf(m *member) ListEntry {
	if m.property.Name == chain.AdditionalName {
		return ListEntry{Rest: true}
	}
	return ListEntry{Name: chain.StoredName(m.property.Name)}
}

// itemWithMaps is the item of a member, with the maps around its objects.
func itemWithMaps(m *member) ListEntry {
	item := itemOf(m)
	if !item.Rest {
		wrap, _ := chain.Unwrap(m.property.Type)
		item.Maps = strings.Count(wrap, "m")
	}
	return item
}

// word quotes what is more than letters, digits and a few signs.
func word(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.$@", r))
	})
	if plain {
		return s
	}
	return strconv.Quote(s)
}
