package conformance

import (
	"bytes"
	"math"
	"reflect"
	"time"
	"unsafe"
)

func (plain) clone(unsafe.Pointer) {}

func (plain) within(unsafe.Pointer, func(unsafe.Pointer)) bool { return true }

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

// newInteger returns the node of an integer type. Storage has an int64, so that it draws no larger
// values.
func newInteger[T integers](of reflect.Type) node {
	return newPlain(of, func(d *drawer) T {
		v := T(d.integer())
		if v > 0 && uint64(v) > math.MaxInt64 {
			v >>= 1
		}
		return v
	})
}

func newPlain[T comparable](of reflect.Type, next func(d *drawer) T) node {
	return &scalar[T]{of: of, next: next}
}

// newScalar returns the node of a scalar type, and nil for other types.
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

func (s *scalar[T]) isZero(p unsafe.Pointer) bool { return *(*T)(p) == *new(T) }
