package conformance

import (
	"reflect"
	"strconv"
	"unsafe"
)

// dictSort is how often a map is drawn, and with how many entries.
type dictSort int

const (
	// anyDict may be absent, empty or more.
	anyDict dictSort = iota
	// filledDict is never empty: its JSON, or a conversion, cannot tell that from absent.
	filledDict
	// rareDict is never empty either, and seldom there: every object of a storage type has one.
	rareDict
)

// dict is a map by strings.
type dict struct {
	of   reflect.Type
	elem node
	slab *slab
	sort dictSort
}

func (n *dict) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	closed := isClosed(n.elem)
	if !must && (closed && n.sort != anyDict || !d.presentMap(n.sort)) {
		return false
	}
	d.budget--
	length := 0
	if !closed {
		length = d.mapLength(n.sort)
	}
	m := reflect.MakeMapWithSize(n.of, length)
	for range length {
		d.budget--
		key, value := d.key(), n.slab.take(1)
		n.elem.draw(d, value, true)
		m.SetMapIndex(n.key(&key), reflect.NewAt(n.slab.of, value).Elem())
	}
	*(*unsafe.Pointer)(p) = m.UnsafePointer()
	return length > 0
}

func (n *dict) key(key *string) reflect.Value {
	return reflect.NewAt(n.of.Key(), unsafe.Pointer(key)).Elem()
}

func (n *dict) equal(c *comparison, a, b unsafe.Pointer) bool {
	if *(*unsafe.Pointer)(a) == *(*unsafe.Pointer)(b) {
		return *(*unsafe.Pointer)(a) == nil || !c.apart || c.shared()
	}
	x, y := reflect.NewAt(n.of, a).Elem(), reflect.NewAt(n.of, b).Elem()
	if x.IsNil() || y.IsNil() || x.Len() != y.Len() {
		return c.differ(n.of, a, b)
	}
	key, left, right := reflect.New(n.of.Key()).Elem(), reflect.New(n.slab.of), reflect.New(n.slab.of)
	for entries := x.MapRange(); entries.Next(); {
		key.SetIterKey(entries)
		other := y.MapIndex(key)
		if !other.IsValid() {
			return c.differ(n.of, a, b)
		}
		left.Elem().SetIterValue(entries)
		right.Elem().Set(other)
		if !n.elem.equal(c, left.UnsafePointer(), right.UnsafePointer()) {
			return c.within("[" + strconv.Quote(key.String()) + "]")
		}
	}
	return true
}
