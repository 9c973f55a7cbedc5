package conformance

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"unsafe"
)

// plainDict is a map from strings to values that lie in memory as a V does: the commonest maps,
// those of text and of free JSON, need no reflection.
type plainDict[V any] struct {
	of   reflect.Type
	elem node
	sort dictSort
	// stored is set for maps of storage types, whose keys are names in storage.
	stored bool
	furthers
}

// newDict returns the node of a map by strings.
func (c *compiler) newDict(of reflect.Type, sort dictSort) (node, error) {
	if of.Key().Kind() != reflect.String {
		return nil, undrawable(of)
	}
	elem, err := c.elem(of)
	if inner, ok := elem.(*free); ok && sort == rareDict {
		elem = &bagEntry{*inner}
	}
	if sort == filledDict {
		elem = byValue(elem)
	}
	stored := c.storage && sort == anyDict
	switch {
	case of.Elem().Kind() == reflect.String:
		return &plainDict[string]{of: of, elem: elem, sort: sort, stored: stored}, err
	case isBytes(of.Elem()):
		return &plainDict[[]byte]{of: of, elem: elem, sort: sort, stored: stored}, err
	default:
		return &dict{of: of, elem: elem, slab: c.slab(of.Elem()), sort: sort, stored: stored}, err
	}
}

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

// telltale is a map that is nil where it is empty, and, if it is a property bag, without entries
// that say nothing.
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

// converted is what conversions keep of a map: all but a bag in annotations.
func converted[V any](m map[string]V) map[string]V {
	if notes, ok := any(m).(map[string]string); ok {
		return any(withoutNote(notes)).(map[string]V)
	}
	return m
}

// mapping is a plainDict of any sort.
type mapping interface {
	node
	keys(p unsafe.Pointer) []string
	// put sets the entry under key to a new value, drawn.
	put(d *drawer, p unsafe.Pointer, key string)
	remove(p unsafe.Pointer, key string)
	// alter changes one value within the entry under key, and reports whether it could.
	alter(d *drawer, p unsafe.Pointer, key string) bool
	// newKey returns a key for a new entry.
	newKey(d *drawer) string
	// sorted is how the map is drawn.
	sorted() dictSort
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
