package genruntime

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// comingBack are the misfits of one object that a writer puts back, sorted by the names of their members. Nil is for none,
// as in nearly all objects.
type comingBack struct {
	entries []misfit
	// bag is how many entries come from the object's own bag.
	bag int
	// stays is set if the misfit that is the object itself stays in the bag.
	stays bool
}

// misfit is a value of the wrong type that a bag has.
type misfit struct {
	bag.MisfitKey
	value runtime.JSON
	// live is set if the member is there, so that the value does not come back.
	live bool
}

func (w *valueWriter) comingBack(s *shape, p unsafe.Pointer, node *misfitNode) *comingBack {
	var b comingBack
	if node != nil { // that is for API types, which have no bags
		b.entries = node.entries
	} else if s.hasBag && w.version != "" {
		for key, value := range *s.bagAt(p) {
			if k, own := bag.ReadMisfit(key, w.version); own && !mayForgeBag(value) {
				b.entries = append(b.entries, misfit{MisfitKey: k, value: value})
			}
		}
		b.bag = len(b.entries)
	}
	return b.sorted()
}

// mayForgeBag reports whether a value would read as a property bag, or have one, where another type stands in its place. In
// storage it stays in the bag that has it.
func mayForgeBag(value runtime.JSON) bool {
	first := (&jsontext.Cursor{Data: value}).Peek()
	return (first == '{' || first == '[') && mayNameBags(value)
}

// misfitsOf are the misfits of the object that storage has where the API has a map.
func misfitsOf(node *misfitNode) *comingBack {
	if node == nil {
		return nil
	}
	b := comingBack{entries: node.entries}
	return b.sorted()
}

// sorted returns the misfits in order, each once; nil for none.
func (b *comingBack) sorted() *comingBack {
	if len(b.entries) == 0 {
		return nil
	}
	slices.SortFunc(b.entries, misfit.compare)
	b.entries = slices.CompactFunc(b.entries, func(x, y misfit) bool { return x.MisfitKey == y.MisfitKey })
	return b
}

func (m misfit) compare(o misfit) int {
	if c := strings.Compare(m.Name, o.Name); c != 0 {
		return c
	}
	return cmp.Or(ordinal(m.Elements)-ordinal(o.Elements), ordinal(m.Whole)-ordinal(o.Whole), bytes.Compare(m.value, o.value))
}

func ordinal(b bool) int {
	if b {
		return 1
	}
	return 0
}

// of visits the misfits of a member.
func (b *comingBack) of(name string, visit func(m *misfit)) {
	if b == nil {
		return
	}
	i, _ := slices.BinarySearchFunc(b.entries, name, func(m misfit, name string) int { return strings.Compare(m.Name, name) })
	for ; i < len(b.entries) && b.entries[i].Name == name; i++ {
		if !b.entries[i].Whole {
			visit(&b.entries[i])
		}
	}
}

// live notes that a member is there.
func (b *comingBack) live(name string) { b.of(name, func(m *misfit) { m.live = true }) }

// items returns what was taken from a list or a map.
func (b *comingBack) items(name string) (items runtime.JSON) {
	b.of(name, func(m *misfit) {
		if m.Elements {
			items = m.value
		}
	})
	return items
}

// replaces reports whether a member gives way to a misfit although its type writes it: a type that people wrote shows a
// zero value for what is absent.
func (b *comingBack) replaces(f *field, p unsafe.Pointer) (replaces bool) {
	if f.shape.kind != pointerKind {
		b.of(f.name, func(m *misfit) { replaces = !m.Elements && f.isZeroAt(p) })
	}
	return replaces
}

func (f *field) isZeroAt(p unsafe.Pointer) bool { return f.shape.dict(p).IsZero() }

// whole returns the misfit that is the object itself.
func (b *comingBack) whole() *misfit {
	if b == nil {
		return nil
	}
	for i := range b.entries {
		if m := &b.entries[i]; m.Whole {
			return m
		}
	}
	return nil
}

// member writes the misfit of a member that is not there.
func (b *comingBack) member(w *valueWriter, name string) {
	b.of(name, func(m *misfit) {
		if !m.Elements && !m.live {
			w.member(name, m.value)
			b.live(name)
		}
	})
}

// members writes the misfits whose members are not there.
func (b *comingBack) members(w *valueWriter) {
	if b == nil {
		return
	}
	for i := range b.entries {
		if !b.entries[i].Whole {
			b.member(w, b.entries[i].Name)
		}
	}
}

// appendValue appends JSON, null for none.
func appendValue(out []byte, value runtime.JSON) []byte {
	if len(value) == 0 {
		return append(out, jsontext.Null...)
	}
	return append(out, value...)
}

// takesAll reports whether nothing is left of a bag.
func (b *comingBack) takesAll(bag runtime.PropertyBag) bool {
	return b != nil && b.bag > 0 && b.bag == len(bag) && !b.stays
}

func (b *comingBack) takes(version, key string, value runtime.JSON) bool {
	if b == nil || b.bag == 0 {
		return false
	}
	k, own := bag.ReadMisfit(key, version)
	return own && !(k.Whole && b.stays) && !mayForgeBag(value)
}

// itemForm is what the items of a list or a map may be, by its shape.
type itemForm struct {
	// nests is set if an item may be what was taken from an element, which is a list or a map itself.
	nests bool
	// wholes is set if an item may be the elements themselves.
	wholes bool
}

// items is the form of what was taken from a list or a map. Where an API type has maps of scalars, its storage type may have
// objects, and then gathers the values that are none.
func (s *shape) items() itemForm {
	form := itemForm{nests: s.elem.gathersItems()}
	form.wholes = !form.nests || s.elem.mayBeObject()
	return form
}

// gathersItems reports whether a value is a list or a map from which elements may be taken.
func (s *shape) gathersItems() bool {
	for s.kind == pointerKind {
		s = s.elem
	}
	return (s.kind == listKind || s.kind == dictKind) && (s.elem.object() != nil || s.elem.mayBeObject() || s.elem.gathersItems())
}

// mayBeObject reports whether a value is a map that storage types may have as an object: one without objects in it.
func (s *shape) mayBeObject() bool {
	for s.kind == pointerKind {
		s = s.elem
	}
	if s.kind != dictKind {
		return false
	}
	for s.kind == pointerKind || s.kind == listKind || s.kind == dictKind {
		s = s.elem
	}
	return s.kind != objectKind
}

// listBack puts elements back into a list.
type listBack struct {
	items jsontext.Cursor
	form  itemForm
	// index is that of the first value of the run at hand, or of the element whose items are at hand; values hold these.
	// Open is false at the end.
	index  int64
	values runtime.JSON
	isRun  bool
	open   bool
	// written counts the elements that have been written, those that came back among them.
	written int64
}

func backToList(s *shape, items runtime.JSON) *listBack {
	if items == nil {
		return nil
	}
	b := &listBack{items: jsontext.Cursor{Data: items}, form: s.items()}
	if b.open = b.items.Take('['); b.open {
		b.next()
	}
	return b
}

// next reads the next [index, values]. Items of a map are an object, and so no run.
func (b *listBack) next() {
	for b.open = b.items.More(']'); b.open; b.open = b.items.More(']') {
		one := jsontext.Cursor{Data: b.items.Raw()}
		if !one.Take('[') {
			continue
		}
		b.index = one.Integer()
		one.Take(',')
		if b.values = one.Raw(); b.index < 0 || b.values == nil {
			continue
		}
		b.isRun = b.form.wholes && b.values[0] == '['
		if b.isRun || b.form.nests {
			return
		}
	}
}

// runs writes the runs that stood before the element n of those that are there.
func (b *listBack) runs(w *valueWriter, n int) {
	if b == nil {
		return
	}
	for b.open && (b.isRun && b.index <= b.written || !b.isRun && b.index < int64(n)) {
		b.pass(w)
	}
	b.written++
}

// rest writes the runs that are left: they stood at the end, or behind elements that are gone.
func (b *listBack) rest(w *valueWriter) {
	for b != nil && b.open {
		b.pass(w)
	}
}

// pass writes the run at hand, or leaves out the items at hand, and goes on.
func (b *listBack) pass(w *valueWriter) {
	if !b.isRun {
		b.next()
		return
	}
	c := jsontext.Cursor{Data: b.values}
	for c.Take('['); c.More(']'); {
		w.begin()
		value := c.Raw()
		w.out = append(jsontext.RoomFor(w.out, len(value)), value...)
		b.written++
	}
	b.next()
}

// inner returns what was taken from the element n, which is a list or a map.
func (b *listBack) inner(n int) runtime.JSON {
	if b == nil || !b.open || b.isRun || b.index != int64(n) {
		return nil
	}
	return b.values
}

// dictBack puts values back into a map.
type dictBack struct {
	items []namedJSON
	form  itemForm
	// at is the first of the items, which are sorted, that has not been passed; back are those that come back.
	at   int
	back []namedJSON
}

func backToDict(s *shape, items runtime.JSON) *dictBack {
	if items == nil {
		return nil
	}
	b := &dictBack{items: sortedMembers(items), form: s.items()}
	b.items = slices.CompactFunc(b.items, func(x, y namedJSON) bool { return x.name == y.name })
	return b
}

// inner passes a key that is there, and returns what was taken from its value, which is a list or a map. Keys come in
// their order.
func (b *dictBack) inner(key string) runtime.JSON {
	if b == nil {
		return nil
	}
	for b.at < len(b.items) && b.items[b.at].name < key {
		b.back = append(b.back, b.items[b.at])
		b.at++
	}
	if b.at < len(b.items) && b.items[b.at].name == key {
		b.at++
		if b.form.nests {
			return b.items[b.at-1].value
		}
	}
	return nil
}

// rest writes the values whose keys are not there. What may be items of a value that is gone stays away.
func (b *dictBack) rest(w *valueWriter) {
	if b == nil || !b.form.wholes {
		return
	}
	for _, more := range [][]namedJSON{b.back, b.items[b.at:]} {
		for _, n := range more {
			if !b.form.nests || (&jsontext.Cursor{Data: n.value}).Peek() != '{' {
				w.member(n.name, n.value)
			}
		}
	}
}

// member writes a member that is JSON.
func (w *valueWriter) member(name string, value runtime.JSON) {
	w.name(name)
	w.out = appendValue(jsontext.RoomFor(w.out, len(value)), value)
}

// misfitNode holds the misfits that a bag has for one place of an object, and for the places within.
type misfitNode struct {
	entries []misfit
	inner   []innerMisfits
	// sorted is set once inner is.
	sorted bool
}

// innerMisfits belong to a member by its name in storage, a key, or, as the index tells, an element or an additional member.
type innerMisfits struct {
	name  string
	index int
	node  *misfitNode
}

func (i innerMisfits) compare(name string, index int) int {
	return cmp.Or(cmp.Compare(i.index, index), strings.Compare(i.name, name))
}

// noIndex is the index of what is no element, moreIndex that of additional members.
const noIndex, moreIndex = -1, -2

func (n *misfitNode) member(name string) *misfitNode {
	if n == nil {
		return nil
	}
	return n.find(name, noIndex)
}

func (n *misfitNode) additional(name string) *misfitNode {
	if n == nil {
		return nil
	}
	return n.find(name, moreIndex)
}

// entry returns the misfits of a value of a map of the API, which storage may have as an object.
func (n *misfitNode) entry(name string) *misfitNode {
	if at := n.member(bag.StoredName(name)); at != nil {
		return at
	}
	return n.additional(name)
}

func (n *misfitNode) element(index int) *misfitNode {
	if n == nil {
		return nil
	}
	return n.find("", index)
}

// find returns the misfits of an inner place; nil where there are none.
func (n *misfitNode) find(name string, index int) *misfitNode {
	if !n.sorted {
		slices.SortStableFunc(n.inner, func(a, b innerMisfits) int { return a.compare(b.name, b.index) })
		n.merge()
		n.sorted = true
	}
	i, found := slices.BinarySearchFunc(n.inner, innerMisfits{name: name, index: index}, func(a, b innerMisfits) int { return a.compare(b.name, b.index) })
	if !found {
		return nil
	}
	return n.inner[i].node
}

// merge makes one of what belongs to the same place.
func (n *misfitNode) merge() {
	out := n.inner[:0]
	for _, i := range n.inner {
		if last := len(out) - 1; last >= 0 && out[last].compare(i.name, i.index) == 0 {
			into := out[last].node
			into.entries = append(into.entries, i.node.entries...)
			into.inner = append(into.inner, i.node.inner...)
			continue
		}
		out = append(out, i)
	}
	n.inner = out
}
