package conformance

import (
	"maps"
	"slices"
	"strconv"
	"unsafe"
)

func (n *plainDict[V]) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	if !must && !d.presentMap(n.sort) {
		return false
	}
	length := max(d.mapLength(n.sort), d.least())
	d.budget -= 1 + length
	m, value := make(map[string]V, length), new(V)
	for range length {
		key := n.key(d, n.sort)
		if n.stored {
			key = storedName(key)
		}
		n.drawEntry(d, n.elem, key, unsafe.Pointer(value))
		m[key] = *value
	}
	*(*map[string]V)(p) = m
	return length > 0
}

func (n *plainDict[V]) equal(c *comparison, a, b unsafe.Pointer) bool {
	if *(*unsafe.Pointer)(a) == *(*unsafe.Pointer)(b) {
		return *(*unsafe.Pointer)(a) == nil || !c.apart || c.shared()
	}
	x, y := *(*map[string]V)(a), *(*map[string]V)(b)
	if c.converted {
		x, y = converted(x), converted(y)
	}
	if c.soft {
		x, y = telltale(x, n.sort), telltale(y, n.sort)
	}
	if (x == nil) != (y == nil) || len(x) != len(y) {
		return c.differ(n.of, a, b)
	}
	elem := n.elem
	if c.loose {
		elem = byValue(elem)
	}
	left, right := new(V), new(V)
	for key, value := range x {
		other, found := y[key]
		if !found {
			return c.differ(n.of, a, b)
		}
		*left, *right = value, other
		if !elem.equal(c, unsafe.Pointer(left), unsafe.Pointer(right)) {
			return c.within("[" + strconv.Quote(key) + "]")
		}
	}
	return true
}

// telltale returns nil for an empty map. From a property bag it removes entries with null, empty
// or zero values.
func telltale[V any](m map[string]V, sort dictSort) map[string]V {
	if bag, ok := any(m).(map[string][]byte); ok && sort == rareDict {
		bag = maps.Clone(bag)
		maps.DeleteFunc(bag, func(_ string, entry []byte) bool { return withoutNothing(readValue(entry)) == nil })
		m = any(bag).(map[string]V)
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

// converted returns the part of a map that conversions preserve: all but a bag in annotations.
func converted[V any](m map[string]V) map[string]V {
	if annotations, ok := any(m).(map[string]string); ok {
		return any(withoutAnnotation(annotations)).(map[string]V)
	}
	return m
}

func (n *plainDict[V]) sorted() dictSort { return n.sort }

func (n *plainDict[V]) clone(p unsafe.Pointer) {
	m := (*map[string]V)(p)
	*m = maps.Clone(*m)
}

func (n *plainDict[V]) within(p unsafe.Pointer, _ func(unsafe.Pointer)) bool {
	return len(*(*map[string]V)(p)) > 0
}

func (n *plainDict[V]) keys(p unsafe.Pointer) []string {
	return slices.Sorted(maps.Keys(*(*map[string]V)(p)))
}

func (n *plainDict[V]) put(d *drawer, p unsafe.Pointer, key string) {
	value := new(V)
	n.drawEntry(d, n.elem, key, unsafe.Pointer(value))
	(*(*map[string]V)(p))[key] = *value
}

func (n *plainDict[V]) alter(d *drawer, p unsafe.Pointer, key string) bool {
	m, ok := any(*(*map[string]V)(p)).(map[string][]byte)
	if !ok {
		return false
	}
	object, ok := readValue(m[key]).(map[string]any)
	if !ok || len(object) == 0 {
		return false
	}
	m[key] = []byte(jsonText(d.altered(object)))
	return true
}

func (n *plainDict[V]) remove(p unsafe.Pointer, key string) {
	m := (*map[string]V)(p)
	delete(*m, key)
	if len(*m) == 0 && n.sort != anyDict {
		*m = nil
	}
}
