package conformance

import (
	"maps"
	"reflect"
	"unsafe"
)

// texts is a map from strings to strings, the commonest map, which needs no reflection.
type texts struct {
	of reflect.Type
	// least is how many entries it has if it is there.
	least int
}

func isTexts(t reflect.Type) bool {
	return t.Kind() == reflect.Map && t.Key().Kind() == reflect.String && t.Elem().Kind() == reflect.String
}

func (n *texts) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	if !must && !d.present() {
		return false
	}
	length := d.length(n.least)
	d.budget -= 1 + length
	m := make(map[string]string, length)
	for range length {
		m[d.key()] = d.string()
	}
	*(*map[string]string)(p) = m
	return length > 0
}

func (n *texts) equal(c *comparison, a, b unsafe.Pointer) bool {
	if *(*unsafe.Pointer)(a) == *(*unsafe.Pointer)(b) {
		return *(*unsafe.Pointer)(a) == nil || !c.apart || c.shared()
	}
	x, y := *(*map[string]string)(a), *(*map[string]string)(b)
	return (x == nil) == (y == nil) && maps.Equal(x, y) || c.differ(n.of, a, b)
}
