package conformance

import (
	"strconv"
	"unsafe"
)

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
		return c.converted && n.isMadeForIgnored(x, y) || c.soft && isNothingAt(n.of, a, b) || c.differ(n.of, a, b)
	default:
		return n.elem.equal(c, x, y)
	}
}

// isMadeForIgnored reports whether one of two pointers is nil, and the object of the other has
// only values that conversions need not preserve. An example is a status that was created to
// store its bag.
func (n *pointer) isMadeForIgnored(x, y unsafe.Pointer) bool {
	o, ok := n.elem.(*object)
	if !ok {
		return false
	}
	if x == nil {
		x = y
	}
	other, made := o.ignores(x)
	return made && !other
}

// clone does not copy scalars, because edits replace the pointers to them.
func (n *pointer) clone(p unsafe.Pointer) {
	value := *(*unsafe.Pointer)(p)
	if value == nil || isPlain(n.elem) {
		return
	}
	copied := n.slab.copy(value, 1)
	*(*unsafe.Pointer)(p) = copied
	n.elem.clone(copied)
}

func (n *pointer) within(p unsafe.Pointer, visit func(unsafe.Pointer)) bool {
	value := *(*unsafe.Pointer)(p)
	return value != nil && n.elem.within(value, visit)
}

func (n *list) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	if !must && !d.present() {
		return false
	}
	d.budget--
	length := 0
	if !isClosed(n.elem) {
		length = max(d.length(), d.least())
	}
	data := emptyList
	if length > 0 {
		data = n.slab.take(length)
	}
	*(*sliceHeader)(p) = sliceHeader{data, length, length}
	for i := range length {
		d.budget--
		n.elem.draw(d, unsafe.Add(data, uintptr(i)*n.slab.size), true)
		d.target = nil
	}
	return length > 0
}

func (n *list) equal(c *comparison, a, b unsafe.Pointer) bool {
	x, y := (*sliceHeader)(a), (*sliceHeader)(b)
	if (x.data == nil) != (y.data == nil) && !(c.soft && x.len+y.len == 0) || x.len != y.len {
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

func (n *list) clone(p unsafe.Pointer) {
	header := (*sliceHeader)(p)
	if header.len == 0 {
		return
	}
	*header = sliceHeader{n.slab.copy(header.data, header.len), header.len, header.len}
	for i := range header.len {
		n.elem.clone(n.at(header, i))
	}
}

func (n *list) within(p unsafe.Pointer, visit func(unsafe.Pointer)) bool {
	header := (*sliceHeader)(p)
	for i := range header.len {
		n.elem.within(n.at(header, i), visit)
	}
	return header.len > 0
}

func (n *list) at(header *sliceHeader, i int) unsafe.Pointer {
	return unsafe.Add(header.data, uintptr(i)*n.slab.size)
}

// ignores reports whether an object has values that conversions need not preserve, and whether it
// has others.
func (o *object) ignores(p unsafe.Pointer) (others, ignored bool) {
	for i := range o.fields {
		f, at := &o.fields[i], unsafe.Add(p, o.fields[i].offset)
		if inner, ok := f.node.(*object); ok && f.inline {
			more, some := inner.ignores(at)
			others, ignored = others || more, ignored || some
			continue
		}
		absent := isAbsent(f.node, at) || isZeroScalar(f.node, at)
		others, ignored = others || !absent && !f.ignored, ignored || !absent && f.ignored
	}
	return others, ignored
}
