package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
)

// Expression states which members of the hub's spec an API version cannot represent.
type Expression struct {
	Label string
	// Lacks is the number of one of the kind's Lists; 0 means that the version represents every
	// member.
	Lacks int
	Hub   bool
}

// express finds the members of the hub that each version of each kind cannot represent.
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

// linkHeld links the objects that a version stores in bags with the types that they have there,
// recursively.
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

// held links the objects of a far property with those of a bag entry. It returns nil if the types
// are the same or the property has no objects.
func (g *grouper) held(l *link, mv *linkMove, e *entry) *link {
	if len(e.links) == 0 {
		return nil
	}
	return g.pair(l.far.within(mv.far), e.form, l.home)
}

// saying returns the links whose far side lacks something of the near side, directly or in an
// object that they contain.
func (g *grouper) saying() map[*link]bool {
	says := map[*link]bool{}
	g.complete(says, func(l *link) bool {
		return slices.ContainsFunc(l.moves, func(mv *linkMove) bool { return mv.action != Keep || len(mv.down) > 0 || says[mv.child] })
	})
	return says
}

// expresser finds the members of the hub's objects that one version cannot represent.
type expresser struct {
	g        *grouper
	says     map[*link]bool
	replaced map[*node][]replacement
	version  int
	lists    map[expressed]*lackList
	alike    map[[2]*node]*lackList // by an object, and the type that it is read as
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
	return !x.says[conv] && !some
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
		l.nameAll(near)
		l.done = true
	}
	if l.done && len(l.items) == 0 {
		return nil
	}
	return l
}

// nameAll adds the other members of a node to a list that contains additional members, so that
// bags distinguish the two.
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

// fetched adds a near property that the version does not name: all of it, or the part that the
// version's further members cannot show.
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

// shownAs lists what a version lacks of values that it shows among its further members; nil for
// nothing.
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

// byName lists what a version lacks of objects that it reads as objects of another type; nil for
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

// close marks a list as closed: a version has no other members than those of a node. Objects are
// listed by name, because bag keys are listed for scalars only.
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

// likeMember adds what a version lacks of a member that it reads as a member of another type,
// where as is nil for none. Of two members of one kind, both are objects or neither is.
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

// flat returns the list of a version that shows all of an object as JSON.
func flat() *lackList { return &lackList{items: []lack{{item: ListEntry{JSON: true}}}, done: true} }

// named adds the hub's additional members that a version has as properties. It also adds those
// that the version cannot show, because another property has their name.
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

// namedKey is the bag key of named further members that have no key of their own, where some are
// objects.
const namedKey = "$namedProperties"

// further adds the keys whose values an open version shows among its further members. It also
// adds the further members whose names the version uses for other properties.
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

// key adds the part of a bag entry that a version cannot represent.
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
