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

// comingBack has the misfits of one object that a writer restores, sorted by the names of their
// members. Most objects have none; then it is nil.
type comingBack struct {
	entries []Misfit
	// bag is the number of entries from the object's own bag.
	bag int
	// stays means that the misfit in place of the object itself stays in the bag.
	stays bool
}

// Misfit is a value of the wrong type that a bag stores.
type Misfit struct {
	bag.MisfitKey
	Value runtime.JSON
	// live means that the member is present, so that the value is not restored.
	live bool
}

func (w *Writer) comingBack(s *shape.Shape, p unsafe.Pointer, node *MisfitNode) *comingBack {
	var b comingBack
	if node != nil { // API types have no bags
		b.entries = node.Entries
	} else if s.HasBag && w.Version != "" {
		for key, value := range *s.BagAt(p) {
			if k, own := restores(w.Version, key, value); own {
				b.entries = append(b.entries, Misfit{MisfitKey: k, Value: value})
			}
		}
		b.bag = len(b.entries)
	}
	return b.sorted()
}

// restores reports whether the storage version of a version restores a value that a bag stores
// under a key. A value that only storage types have cannot forge a bag: no client wrote it.
func restores(version, key string, value runtime.JSON) (bag.MisfitKey, bool) {
	k, isUnknown, own := readStored(key, version)
	return k, own && (isUnknown || !mayForgeBag(value))
}

// mayForgeBag reports whether a value of another type could be read as a property bag, or as an
// object with one. In storage it stays in the bag that stores it.
func mayForgeBag(value runtime.JSON) bool {
	first := (&jsontext.Cursor{Data: value}).Peek()
	return (first == '{' || first == '[') && bag.MayHaveNameLike(value)
}

// misfitsOf returns the misfits of an object in storage that is a map in the API.
func misfitsOf(node *MisfitNode) *comingBack {
	if node == nil {
		return nil
	}
	b := comingBack{entries: node.Entries}
	return b.sorted()
}

// sorted returns the misfits in order and without duplicates, and nil if there are none.
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

// of calls visit for the misfits of a member.
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

// live records that a member is present.
func (b *comingBack) live(name string) { b.of(name, func(m *Misfit) { m.live = true }) }

// items returns the elements that were removed from a list or a map.
func (b *comingBack) items(name string) (items runtime.JSON) {
	b.of(name, func(m *Misfit) {
		if m.Elements {
			items = m.Value
		}
	})
	return items
}

// replaces reports whether a misfit replaces a member that its type writes. Hand-written types
// write a zero value for an absent one.
func (b *comingBack) replaces(f *shape.Field, p unsafe.Pointer) (replaces bool) {
	if f.Shape.Kind != shape.Pointer {
		b.of(f.Name, func(m *Misfit) { replaces = !m.Elements && isZeroAt(f, p) })
	}
	return replaces
}

func isZeroAt(f *shape.Field, p unsafe.Pointer) bool { return f.Shape.MapAt(p).IsZero() }

// whole returns the misfit in place of the object itself.
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

// member writes the misfit of an absent member.
func (b *comingBack) member(w *Writer, name string) {
	b.of(name, func(m *Misfit) {
		if !m.Elements && !m.live {
			w.member(name, m.Value)
			b.live(name)
		}
	})
}

// members writes the misfits of absent members.
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

// appendValue appends JSON, and null for none.
func appendValue(out []byte, value runtime.JSON) []byte {
	if len(value) == 0 {
		return append(out, jsontext.Null...)
	}
	return append(out, value...)
}

// takesAll reports whether all entries of a bag are restored.
func (b *comingBack) takesAll(bag runtime.PropertyBag) bool {
	return b != nil && b.bag > 0 && b.bag == len(bag) && !b.stays
}

func (b *comingBack) takes(version, key string, value runtime.JSON) bool {
	if b == nil || b.bag == 0 {
		return false
	}
	k, own := restores(version, key, value)
	return own && !(k.Whole && b.stays)
}

// itemForm describes the items of a list or a map, by its shape.
type itemForm struct {
	// nests means that an item may be the elements removed from an element, which is a list or a
	// map itself.
	nests bool
	// wholes means that an item may be elements themselves.
	wholes bool
}

// itemsOf returns the form of the elements removed from a list or a map. If an API type has maps
// of scalars, its storage type may have objects; then it also collects the values that are no
// objects.
func itemsOf(s *shape.Shape) itemForm {
	form := itemForm{nests: gathersItems(s.Elem)}
	form.wholes = !form.nests || mayBeObject(s.Elem)
	return form
}

// gathersItems reports whether elements may be removed from a value, which must be a list or a
// map.
func gathersItems(s *shape.Shape) bool {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	return (s.Kind == shape.List || s.Kind == shape.Map) && (s.Elem.Object() != nil || mayBeObject(s.Elem) || gathersItems(s.Elem))
}

// mayBeObject reports whether a value is a map without objects in it. Storage types may have such
// a map as an object.
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

// listBack restores elements of a list.
type listBack struct {
	items jsontext.Cursor
	form  itemForm
	// index is the index of the first value of the current run, or of the element to which the
	// current items belong. values are these values or items. open is false at the end.
	index  int64
	values runtime.JSON
	isRun  bool
	open   bool
	// written counts the elements that were written, including restored ones.
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

// next reads the next [index, values]. The items of a map are an object, and therefore no run.
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

// runs writes the runs that precede the element n of the present ones.
func (b *listBack) runs(w *Writer, n int) {
	if b == nil {
		return
	}
	for b.open && (b.isRun && b.index <= b.written || !b.isRun && b.index < int64(n)) {
		b.pass(w)
	}
	b.written++
}

// rest writes the remaining runs. They were at the end, or behind elements that are now absent.
func (b *listBack) rest(w *Writer) {
	for b != nil && b.open {
		b.pass(w)
	}
}

// pass writes the current run, or skips the current items, and reads the next.
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

// inner returns the elements removed from the element n, which is a list or a map.
func (b *listBack) inner(n int) runtime.JSON {
	if b == nil || !b.open || b.isRun || b.index != int64(n) {
		return nil
	}
	return b.values
}

// dictBack restores values of a map.
type dictBack struct {
	items []jsontext.Member
	form  itemForm
	// at is the index of the next item; items are sorted. back has the items to restore.
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

// inner returns the elements removed from the value of a present key, which is a list or a map.
// The caller passes the keys in order.
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

// rest writes the values of absent keys. It omits a value that may be the items of an absent
// value.
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

// member writes a member with a JSON value.
func (w *Writer) member(name string, value runtime.JSON) {
	w.name(name)
	w.Out = appendValue(jsontext.RoomFor(w.Out, len(value)), value)
}

// MisfitNode has the misfits that a bag stores for one value of an object, and for the values
// within it.
type MisfitNode struct {
	Entries []Misfit
	Inner   []InnerMisfits
	// sorted means that Inner is sorted.
	sorted bool
}

// InnerMisfits are the misfits of a value within another: of a member by its name in storage, of
// a key, of an additional member, or of an element by its index.
type InnerMisfits struct {
	Name  string
	Index int
	Node  *MisfitNode
}

func (i InnerMisfits) compare(name string, index int) int {
	return cmp.Or(cmp.Compare(i.Index, index), strings.Compare(i.Name, name))
}

const (
	// NoIndex is the index of a member or a key.
	NoIndex = -1
	// MoreIndex is the index of an additional member.
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

// entry returns the misfits of a value of a map in the API. In storage the map may be an object.
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

// find returns the misfits of an inner value, and nil if it has none.
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

// merge joins the misfits of the same inner value.
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
