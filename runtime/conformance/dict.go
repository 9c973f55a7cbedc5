package conformance

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

func (n *dict) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	closed := isClosed(n.elem)
	if !must && (closed && n.sort != anyDict || !d.presentMap(n.sort)) {
		return false
	}
	d.budget--
	length := 0
	if !closed {
		length = max(d.mapLength(n.sort), d.least())
	}
	m := reflect.MakeMapWithSize(n.of, length)
	for range length {
		d.budget--
		key, value := n.furthers.key(d, n.sort), n.slab.take(1)
		if n.stored {
			key = storedName(key)
		}
		n.elem.draw(d, value, true)
		d.target = nil
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
	if c.soft && x.Len()+y.Len() == 0 {
		return true
	}
	if x.IsNil() || y.IsNil() || x.Len() != y.Len() {
		return c.differ(n.of, a, b)
	}
	elem := n.elem
	if c.loose {
		elem = byValue(elem)
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
		if !elem.equal(c, left.UnsafePointer(), right.UnsafePointer()) {
			return c.within("[" + strconv.Quote(key.String()) + "]")
		}
	}
	return true
}

func (n *dict) clone(p unsafe.Pointer) {
	entries := n.entries(p)
	if entries == nil {
		return
	}
	m := reflect.MakeMapWithSize(n.of, len(entries))
	for _, e := range entries {
		n.elem.clone(e.value)
		m.SetMapIndex(n.key(&e.key), reflect.NewAt(n.slab.of, e.value).Elem())
	}
	*(*unsafe.Pointer)(p) = m.UnsafePointer()
}

func (n *dict) within(p unsafe.Pointer, visit func(unsafe.Pointer)) bool {
	entries := n.entries(p)
	for _, e := range entries {
		n.elem.within(e.value, visit)
	}
	return len(entries) > 0
}

// dictEntry is an entry of a map, with a copy of its value.
type dictEntry struct {
	key   string
	value unsafe.Pointer
}

// entries returns the entries of the map at p, sorted by key, and nil for an absent map.
func (n *dict) entries(p unsafe.Pointer) []dictEntry {
	m := reflect.NewAt(n.of, p).Elem()
	if m.IsNil() {
		return nil
	}
	entries := make([]dictEntry, 0, m.Len())
	for it := m.MapRange(); it.Next(); {
		value := n.slab.take(1)
		reflect.NewAt(n.slab.of, value).Elem().SetIterValue(it)
		entries = append(entries, dictEntry{it.Key().String(), value})
	}
	slices.SortFunc(entries, func(a, b dictEntry) int { return strings.Compare(a.key, b.key) })
	return entries
}

// put sets an entry of the map at p.
func (n *dict) put(p unsafe.Pointer, key string, value unsafe.Pointer) {
	reflect.NewAt(n.of, p).Elem().SetMapIndex(n.key(&key), reflect.NewAt(n.slab.of, value).Elem())
}

// remove deletes an entry of the map at p.
func (n *dict) remove(p unsafe.Pointer, key string) {
	m := reflect.NewAt(n.of, p).Elem()
	m.SetMapIndex(n.key(&key), reflect.Value{})
	if m.Len() == 0 && n.sort != anyDict {
		m.SetZero()
	}
}
