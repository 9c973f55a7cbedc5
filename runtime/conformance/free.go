package conformance

import (
	"bytes"
	"encoding/json"
	"unsafe"
)

func (f *free) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	if !must && !d.present() {
		return false
	}
	d.budget--
	*(*[]byte)(p) = d.free()
	return true
}

func (f *free) equal(c *comparison, a, b unsafe.Pointer) bool {
	x, y := *(*[]byte)(a), *(*[]byte)(b)
	if c.apart && isShared(x, y) {
		return c.shared()
	}
	if (x == nil) == (y == nil) && (bytes.Equal(x, y) || bytes.Equal(compact(x), compact(y))) {
		return true
	}
	return c.soft && isNothingAt(f.of, a, b) || c.differ(f.of, a, b)
}

func (f *free) within(p unsafe.Pointer, _ func(unsafe.Pointer)) bool { return len(*(*[]byte)(p)) > 0 }

func compact(data []byte) []byte {
	var out bytes.Buffer
	if json.Compact(&out, data) != nil {
		return data
	}
	return out.Bytes()
}

func (n *bagEntry) equal(c *comparison, a, b unsafe.Pointer) bool {
	x, y := *(*[]byte)(a), *(*[]byte)(b)
	if sameEntry(x, y) || c.soft && sameValue(withoutNothing(readValue(x)), withoutNothing(readValue(y))) {
		return true
	}
	return c.differ(n.of, a, b)
}

// draw draws a null in one of sixteen cases. A member with a null is not absent.
func (n *furtherEntry) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	if d.next()&15 == 0 {
		d.budget--
		*(*[]byte)(p) = nil
		return true
	}
	return n.free.draw(d, p, must)
}

func (n *furtherEntry) equal(c *comparison, a, b unsafe.Pointer) bool {
	x, y := *(*[]byte)(a), *(*[]byte)(b)
	if (x == nil) == (y == nil) && (bytes.Equal(x, y) || isSameJSON(readValue(x), readValue(y))) {
		return true
	}
	return n.free.equal(c, a, b)
}

// byValue returns a node that compares free JSON by value, for additional members and for lists
// and maps in them.
func byValue(n node) node {
	switch n := n.(type) {
	case *free:
		return &furtherEntry{*n}
	case *plainDict[[]byte]:
		own := *n
		own.elem = byValue(n.elem)
		return &own
	case *dict:
		own := *n
		own.elem = byValue(n.elem)
		return &own
	case *list:
		own := *n
		own.elem = byValue(n.elem)
		return &own
	default:
		return n
	}
}
