package conformance

import (
	"bytes"
	"reflect"
	"time"
	"unsafe"
)

// node is one type in a program.
type node interface {
	// draw sets the zero value at p. It reports whether it put anything there: not when a value
	// that may be absent is, nor when a list or map is empty. With must, the value may be empty,
	// but not absent.
	draw(d *drawer, p unsafe.Pointer, must bool) bool
	// equal compares the values at a and b, and notes in c where and how they differ.
	equal(c *comparison, a, b unsafe.Pointer) bool
	// clone makes all that lies behind the value at p, and that edits change in place, memory of
	// its own.
	clone(p unsafe.Pointer)
	// within calls visit for the outermost objects that the value at p holds, in an order that is
	// always the same. It reports whether the value is neither absent nor empty. What visit changes
	// in the values of a map may be lost.
	within(p unsafe.Pointer, visit func(object unsafe.Pointer)) bool
}

// plain is a value without anything within that edits change in place.
type plain struct{}

func (plain) clone(unsafe.Pointer) {}

func (plain) within(unsafe.Pointer, func(unsafe.Pointer)) bool { return true }

// scalar is a type of Go's whose values are compared with ==.
type scalar[T comparable] struct {
	plain
	of   reflect.Type
	next func(d *drawer) T
}

func (s *scalar[T]) draw(d *drawer, p unsafe.Pointer, _ bool) bool {
	*(*T)(p) = s.next(d)
	return true
}

func (s *scalar[T]) equal(c *comparison, a, b unsafe.Pointer) bool {
	return *(*T)(a) == *(*T)(b) || c.soft && isNothingAt(s.of, a, b) || c.differ(s.of, a, b)
}

type integers interface {
	int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64
}

func newInteger[T integers](of reflect.Type) node {
	return newPlain(of, func(d *drawer) T { return T(d.integer()) })
}

func newPlain[T comparable](of reflect.Type, next func(d *drawer) T) node {
	return &scalar[T]{of: of, next: next}
}

// newScalar returns the node of a scalar type, or nil.
func newScalar(of reflect.Type) node {
	switch of.Kind() {
	case reflect.String:
		return newPlain(of, (*drawer).string)
	case reflect.Bool:
		return newPlain(of, func(d *drawer) bool { return d.next()>>63 == 1 })
	case reflect.Float64:
		return newPlain(of, (*drawer).float)
	case reflect.Float32:
		return newPlain(of, func(d *drawer) float32 { return float32(finite(float64(float32(d.float())))) })
	case reflect.Int:
		return newInteger[int](of)
	case reflect.Int8:
		return newInteger[int8](of)
	case reflect.Int16:
		return newInteger[int16](of)
	case reflect.Int32:
		return newInteger[int32](of)
	case reflect.Int64:
		return newInteger[int64](of)
	case reflect.Uint:
		return newInteger[uint](of)
	case reflect.Uint8:
		return newInteger[uint8](of)
	case reflect.Uint16:
		return newInteger[uint16](of)
	case reflect.Uint32:
		return newInteger[uint32](of)
	case reflect.Uint64:
		return newInteger[uint64](of)
	default:
		return nil
	}
}

// clock is time.Time, or a struct around nothing but one: whole seconds, which is what Kubernetes
// writes.
type clock struct {
	plain
	of reflect.Type
}

func isClock(t reflect.Type) bool {
	if t.Kind() == reflect.Struct && t.NumField() == 1 {
		t = t.Field(0).Type
	}
	return t == reflect.TypeFor[time.Time]()
}

func (*clock) draw(d *drawer, p unsafe.Pointer, _ bool) bool {
	const year10000 = 253402300800
	if d.next()&7 != 0 {
		*(*time.Time)(p) = time.Unix(int64(d.next()%year10000), 0).UTC()
	}
	return true
}

func (k *clock) equal(c *comparison, a, b unsafe.Pointer) bool {
	return (*time.Time)(a).Equal(*(*time.Time)(b)) || c.differ(k.of, a, b)
}

// blob is a list of bytes that JSON writes as base64.
type blob struct {
	plain
	of reflect.Type
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

func (*blob) draw(d *drawer, p unsafe.Pointer, must bool) bool {
	if !must && !d.present() {
		return false
	}
	d.budget--
	*(*[]byte)(p) = []byte(d.string())
	return true
}

func (l *blob) equal(c *comparison, a, b unsafe.Pointer) bool {
	x, y := *(*[]byte)(a), *(*[]byte)(b)
	if c.apart && isShared(x, y) {
		return c.shared()
	}
	return (x == nil) == (y == nil) && bytes.Equal(x, y) || c.differ(l.of, a, b)
}

func (l *blob) within(p unsafe.Pointer, _ func(unsafe.Pointer)) bool { return len(*(*[]byte)(p)) > 0 }

// isZeroScalar reports whether a value that is no pointer is zero: types that people wrote have
// such where others have nothing.
func isZeroScalar(n node, p unsafe.Pointer) bool {
	switch n := n.(type) {
	case *pointer, *list, *dict, mapping, *object:
		return false
	case interface{ isZero(p unsafe.Pointer) bool }:
		return n.isZero(p)
	default:
		return false
	}
}

func (s *scalar[T]) isZero(p unsafe.Pointer) bool { return *(*T)(p) == *new(T) }
