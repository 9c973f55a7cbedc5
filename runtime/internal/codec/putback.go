package codec

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// comingBack are the misfits of one object that a writer puts back, sorted by the names of their
// members. Nil is for none, as in nearly all objects.
type comingBack struct {
	entries []Misfit
	// bag is how many entries come from the object's own bag.
	bag int
	// stays is set if the misfit that is the object itself stays in the bag.
	stays bool
}

// Misfit is a value of the wrong type that a bag has.
type Misfit struct {
	bag.MisfitKey
	Value runtime.JSON
	// live is set if the member is there, so that the value does not come back.
	live bool
}

func (w *Writer) comingBack(s *shape.Shape, p unsafe.Pointer, node *MisfitNode) *comingBack {
	var b comingBack
	if node != nil { // that is for API types, which have no bags
		b.entries = node.Entries
	} else if s.HasBag && w.Version != "" {
		for key, value := range *s.BagAt(p) {
			if k, own := bag.ReadMisfit(key, w.Version); own && !mayForgeBag(value) {
				b.entries = append(b.entries, Misfit{MisfitKey: k, Value: value})
			}
		}
		b.bag = len(b.entries)
	}
	return b.sorted()
}

// mayForgeBag reports whether a value would read as a property bag, or have one, where another type
// stands in its place. In storage it stays in the bag that has it.
func mayForgeBag(value runtime.JSON) bool {
	first := (&jsontext.Cursor{Data: value}).Peek()
	return (first == '{' || first == '[') && bag.MayHaveNameLike(value)
}

// misfitsOf are the misfits of the object that storage has where the API has a map.
func misfitsOf(node *MisfitNode) *comingBack {
	if node == nil {
		return nil
	}
	b := comingBack{entries: node.Entries}
	return b.sorted()
}

// sorted returns the misfits in order, each once; nil for none.
func (b *comingBack) sorted() *comingBack {
	if len(b.entries) == 0 {
		return nil
	}
	slices.SortFunc(b.entries, Misfit.compare)
	b.entries = slices.CompactFunc(b.entries, func(x, y Misfit) bool { return x.MisfitKey == y.MisfitKey })
	return b
}

func (m Misfit) compare(o Misfit) int {
	if c := strings.Compare(m.Name, o.Name); c != 0 {
		return c
	}
	return cmp.Or(ordinal(m.Elements)-ordinal(o.Elements), ordinal(m.Whole)-ordinal(o.Whole), bytes.Compare(m.Value, o.Value))
}

func ordinal(b bool) int {
	if b {
		return 1
	}
	return 0
}

// of visits the misfits of a member.
func (b *comingBack) of(name string, visit func(m *Misfit)) {
	if b == nil {
		return
	}
	i, _ := slices.BinarySearchFunc(b.entries, name, func(m Misfit, name string) int { return strings.Compare(m.Name, name) })
	for ; i < len(b.entries) && b.entries[i].Name == name; i++ {
		if !b.entries[i].Whole {
			visit(&b.entries[i])
		}
	}
}

// live notes that a member is there.
func (b *comingBack) live(name string) { b.of(name, func(m *Misfit) { m.live = true }) }

// items returns what was taken from a list or a map.
func (b *comingBack) items(name string) (items runtime.JSON) {
	b.of(name, func(m *Misfit) {
		if m.Elements {
			items = m.Value
		}
	})
	return items
}

// replaces reports whether a member gives way to a misfit although its type writes it: a type that
// people wrote shows a zero value for what is absent.
func (b *comingBack) replaces(f *shape.Field, p unsafe.Pointer) (replaces bool) {
	if f.Shape.Kind != shape.Pointer {
		b.of(f.Name, func(m *Misfit) { replaces = !m.Elements && isZeroAt(f, p) })
	}
	return replaces
}

func isZeroAt(f *shape.Field, p unsafe.Pointer) bool { return f.Shape.MapAt(p).IsZero() }

// whole returns the misfit that is the object itself.
func (b *comingBack) whole() *Misfit {
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
func (b *comingBack) member(w *Writer, name string) {
	b.of(name, func(m *Misfit) {
		if !m.Elements && !m.live {
			w.member(name, m.Value)
			b.live(name)
		}
	})
}

// members writes the misfits whose members are not there.
func (b *comingBack) members(w *Writer) {
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
	// nests is set if an item may be what was taken from an element, which is a list or a map
	// itself.
	nests bool
	// wholes is set if an item may be the elements themselves.
	wholes bool
}

// itemsOf is the form of what was taken from a list or a map. Where an API type has maps of
// scalars, its storage type may have objects, and then gathers the values that are none.
func itemsOf(s *shape.Shape) itemForm {
	form := itemForm{nests: gathersItems(s.Elem)}
	form.wholes = !form.nests || mayBeObject(s.Elem)
	return form
}

// gathersItems reports whether a value is a list or a map from which elements may be taken.
func gathersItems(s *shape.Shape) bool {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	return (s.Kind == shape.List || s.Kind == shape.Map) && (s.Elem.Object() != nil || mayBeObject(s.Elem) || gathersItems(s.Elem))
}

// mayBeObject reports whether a value is a map that storage types may have as an object: one
// without objects in it.
func mayBeObject(s *shape.Shape) bool {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	if s.Kind != shape.Map {
		return false
	}
	for s.Kind == shape.Pointer || s.Kind == shape.List || s.Kind == shape.Map {
		s = s.Elem
	}
	return s.Kind != shape.Object
}

// listBack puts elements back into a list.
type listBack struct {
	items jsontext.Cursor
	form  itemForm
	// index is that of the first value of the run at hand, or of the element whose items are at
	// hand; values hold these. Open is false at the end.
	index  int64
	values runtime.JSON
	isRun  bool
	open   bool
	// written counts the elements that have been written, those that came back among them.
	written int64
}

func backToList(s *shape.Shape, items runtime.JSON) *listBack {
	if items == nil {
		return nil
	}
	b := &listBack{items: jsontext.Cursor{Data: items}, form: itemsOf(s)}
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
func (b *listBack) runs(w *Writer, n int) {
	if b == nil {
		return
	}
	for b.open && (b.isRun && b.index <= b.written || !b.isRun && b.index < int64(n)) {
		b.pass(w)
	}
	b.written++
}

// rest writes the runs that are left: they stood at the end, or behind elements that are gone.
func (b *listBack) rest(w *Writer) {
	for b != nil && b.open {
		b.pass(w)
	}
}

// pass writes the run at hand, or leaves out the items at hand, and goes on.
func (b *listBack) pass(w *Writer) {
	if !b.isRun {
		b.next()
		return
	}
	c := jsontext.Cursor{Data: b.values}
	for c.Take('['); c.More(']'); {
		w.begin()
		value := c.Raw()
		w.Out = append(jsontext.RoomFor(w.Out, len(value)), value...)
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
	items []jsontext.Member
	form  itemForm
	// at is the first of the items, which are sorted, that has not been passed; back are those that
	// come back.
	at   int
	back []jsontext.Member
}

func backToDict(s *shape.Shape, items runtime.JSON) *dictBack {
	if items == nil {
		return nil
	}
	b := &dictBack{items: jsontext.SortedMembers(items), form: itemsOf(s)}
	b.items = slices.CompactFunc(b.items, func(x, y jsontext.Member) bool { return x.Name == y.Name })
	return b
}

// inner passes a key that is there, and returns what was taken from its value, which is a list or a
// map. Keys come in their order.
func (b *dictBack) inner(key string) runtime.JSON {
	if b == nil {
		return nil
	}
	for b.at < len(b.items) && b.items[b.at].Name < key {
		b.back = append(b.back, b.items[b.at])
		b.at++
	}
	if b.at < len(b.items) && b.items[b.at].Name == key {
		b.at++
		if b.form.nests {
			return b.items[b.at-1].Value
		}
	}
	return nil
}

// rest writes the values whose keys are not there. What may be items of a value that is gone stays
// away.
func (b *dictBack) rest(w *Writer) {
	if b == nil || !b.form.wholes {
		return
	}
	for _, more := range [][]jsontext.Member{b.back, b.items[b.at:]} {
		for _, n := range more {
			if !b.form.nests || (&jsontext.Cursor{Data: n.Value}).Peek() != '{' {
				w.member(n.Name, n.Value)
			}
		}
	}
}

// member writes a member that is JSON.
func (w *Writer) member(name string, value runtime.JSON) {
	w.name(name)
	w.Out = appendValue(jsontext.RoomFor(w.Out, len(value)), value)
}

// MisfitNode holds the misfits that a bag has for one place of an object, and for the places
// within.
type MisfitNode struct {
	Entries []Misfit
	Inner   []InnerMisfits
	// sorted is set once inner is.
	sorted bool
}

// InnerMisfits belong to a member by its name in storage, a key, or, as the index tells, an element
// or an additional member.
type InnerMisfits struct {
	Name  string
	Index int
	Node  *MisfitNode
}

func (i InnerMisfits) compare(name string, index int) int {
	return cmp.Or(cmp.Compare(i.Index, index), strings.Compare(i.Name, name))
}

const (
	// NoIndex is the index of what is no element.
	NoIndex = -1
	// MoreIndex is the index of additional members.
	MoreIndex = -2
)

func (n *MisfitNode) member(name string) *MisfitNode {
	if n == nil {
		return nil
	}
	return n.find(name, NoIndex)
}

func (n *MisfitNode) additional(name string) *MisfitNode {
	if n == nil {
		return nil
	}
	return n.find(name, MoreIndex)
}

// entry returns the misfits of a value of a map of the API, which storage may have as an object.
func (n *MisfitNode) entry(name string) *MisfitNode {
	if at := n.member(bag.StoredName(name)); at != nil {
		return at
	}
	return n.additional(name)
}

func (n *MisfitNode) element(index int) *MisfitNode {
	if n == nil {
		return nil
	}
	return n.find("", index)
}

// find returns the misfits of an inner place; nil where there are none.
func (n *MisfitNode) find(name string, index int) *MisfitNode {
	if !n.sorted {
		slices.SortStableFunc(n.Inner, func(a, b InnerMisfits) int { return a.compare(b.Name, b.Index) })
		n.merge()
		n.sorted = true
	}
	i, found := slices.BinarySearchFunc(n.Inner, InnerMisfits{Name: name, Index: index}, func(a, b InnerMisfits) int { return a.compare(b.Name, b.Index) })
	if !found {
		return nil
	}
	return n.Inner[i].Node
}

// merge makes one of what belongs to the same place.
func (n *MisfitNode) merge() {
	out := n.Inner[:0]
	for _, i := range n.Inner {
		if last := len(out) - 1; last >= 0 && out[last].compare(i.Name, i.Index) == 0 {
			into := out[last].Node
			into.Entries = append(into.Entries, i.Node.Entries...)
			into.Inner = append(into.Inner, i.Node.Inner...)
			continue
		}
		out = append(out, i)
	}
	n.Inner = out
}
