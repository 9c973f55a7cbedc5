package conformance

import (
	"reflect"
	"strconv"
	"unsafe"
)

// dict is a map by strings.
type dict struct {
	of   reflect.Type
	elem node
	slab *slab
	// rare maps are absent more often than not, and never empty.
	rare bool
}

func (n *dict) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	if !must && !d.presentMap(n.rare) {
		return false
	}
	d.budget--
	length := 0
	if !isClosed(n.elem) {
		length = d.mapLength(n.rare)
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
