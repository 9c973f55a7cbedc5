package conformance

import (
	"reflect"
	"strconv"
	"unsafe"
)

// pointer is a value that may be absent.
type pointer struct {
	of   reflect.Type
	elem node
	slab *slab
}

func (n *pointer) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	if !must && (isClosed(n.elem) || !d.present()) {
		return false
	}
	d.budget--
	value := n.slab.take(1)
	*(*unsafe.Pointer)(p) = value
	n.elem.draw(d, value, true)
	return true
}

func (n *pointer) equal(c *comparison, a, b unsafe.Pointer) bool {
	x, y := *(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)
	switch {
	case x == y:
		return x == nil || !c.apart || n.slab.size == 0 || c.shared()
	case x == nil || y == nil:
		return c.differ(n.of, a, b)
	default:
		return n.elem.equal(c, x, y)
	}
}

// list is a slice of any length.
type list struct {
	of   reflect.Type
	elem node
	slab *slab
}

type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// emptyList is where lists without elements point to, since nil is an absent one.
var emptyList = unsafe.Pointer(new(struct{}))

func (n *list) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	if !must && !d.present() {
		return false
	}
	d.budget--
	length := 0
	if !isClosed(n.elem) {
		length = d.length()
	}
	data := emptyList
	if length > 0 {
		data = n.slab.take(length)
	}
	*(*sliceHeader)(p) = sliceHeader{data, length, length}
	for i := range length {
		d.budget--
		n.elem.draw(d, unsafe.Add(data, uintptr(i)*n.slab.size), true)
	}
	return length > 0
}

func (n *list) equal(c *comparison, a, b unsafe.Pointer) bool {
	x, y := (*sliceHeader)(a), (*sliceHeader)(b)
	if (x.data == nil) != (y.data == nil) || x.len != y.len {
		return c.differ(n.of, a, b)
	}
	if x.data == y.data {
		return x.len == 0 || !c.apart || n.slab.size == 0 || c.shared()
	}
	for i := range x.len {
		at := uintptr(i) * n.slab.size
		if !n.elem.equal(c, unsafe.Add(x.data, at), unsafe.Add(y.data, at)) {
			return c.within("[" + strconv.Itoa(i) + "]")
		}
	}
	return true
}

// isClosed tells whether a type may not be entered again.
func isClosed(n node) bool {
	switch n := n.(type) {
	case *object:
		return n.open > deepest
	case *pointer:
		return isClosed(n.elem)
	default:
		return false
	}
}
