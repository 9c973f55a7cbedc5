package genruntime

import (
	"math"
	"reflect"
	"strconv"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// derivedSum returns a checksum of the values that a step derives from far, in an object that has
// only the objects of near. It is [failed] if the step fails. The order of members of free JSON
// does not count.
func derivedSum[F, N any](far *F, near *N, assign func(*F, *N) error) string {
	if hasFree(reflect.TypeFor[F]()) {
		far = deepCopy(far)
		sortFree(reflect.ValueOf(far).Elem())
	}
	made := skeleton(near)
	if guarded(func() error { return withAPIKeys(far, made, assign) }) != nil {
		return failed
	}
	sum := newChecksum()
	sum.addDerived(reflect.ValueOf(near).Elem(), reflect.ValueOf(made).Elem())
	return strconv.FormatUint(uint64(sum), 36)
}

// failed is the checksum of a step that fails.
const failed = "failed"

// checksum is the state of a checksum of 64 bits (FNV-1a). It allocates nothing, and depends on
// values and the names of members alone, because property bags store it.
type checksum uint64

func newChecksum() checksum { return 14695981039346656037 }

func (c *checksum) add(b byte) { *c = (*c ^ checksum(b)) * 1099511628211 }

func (c *checksum) addNumber(n uint64) {
	for range 8 {
		c.add(byte(n))
		n >>= 8
	}
}

func (c *checksum) addText(s string) {
	for i := range len(s) {
		c.add(s[i])
	}
	c.addNumber(uint64(len(s)))
}

// addDerived adds the values of made, which has been an object with only the objects of base. It
// adds the objects within only where base has none.
func (c *checksum) addDerived(base, made reflect.Value) {
	switch kind := made.Kind(); {
	case made.IsZero():
	case kind == reflect.Pointer && made.Type().Elem().Kind() == reflect.Struct && !base.IsNil():
		c.addDerived(base.Elem(), made.Elem())
	case kind == reflect.Struct:
		for i, name := range namesOf(made.Type()) {
			c.addWithin(name, base.Field(i), made.Field(i))
		}
	case kind == reflect.Slice && made.Type().Elem().Kind() == reflect.Struct && !base.IsNil() && base.Len() == made.Len():
		for i := range made.Len() {
			inner := newChecksum()
			if inner.addDerived(base.Index(i), made.Index(i)); inner != newChecksum() {
				c.addNumber(uint64(i))
				c.addNumber(uint64(inner))
			}
		}
	case kind == reflect.Map && made.Type().Elem().Kind() == reflect.Struct && !base.IsNil():
		c.addEntries(base, made)
	default:
		c.addValue(made)
	}
}

// addWithin adds what a member of an object adds, with the name of the member.
func (c *checksum) addWithin(name string, base, made reflect.Value) {
	inner := newChecksum()
	if inner.addDerived(base, made); inner != newChecksum() {
		c.addText(name)
		c.addNumber(uint64(inner))
	}
}

// addEntries is addDerived for a map of objects. The sum of its entries does not depend on their
// order.
func (c *checksum) addEntries(base, made reflect.Value) {
	all := checksum(0)
	for entries := made.MapRange(); entries.Next(); {
		entry := newChecksum()
		if was := base.MapIndex(entries.Key()); was.IsValid() {
			entry.addWithin(entries.Key().String(), was, entries.Value())
		} else {
			entry.addText(entries.Key().String())
			entry.addValue(entries.Value())
		}
		if entry != newChecksum() {
			all += entry
		}
	}
	for entries := base.MapRange(); entries.Next(); {
		if !made.MapIndex(entries.Key()).IsValid() {
			removed := newChecksum()
			removed.addText(entries.Key().String())
			all += removed
		}
	}
	if all != 0 {
		c.addNumber(uint64(all))
	}
}

// addValue adds a whole value.
func (c *checksum) addValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if c.add('*'); !v.IsNil() {
			c.addValue(v.Elem())
		}
	case reflect.String:
		c.addText(v.String())
	case reflect.Bool:
		if c.add('b'); v.Bool() {
			c.add(1)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		c.addNumber(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		c.addNumber(v.Uint())
	case reflect.Float32, reflect.Float64:
		c.addNumber(math.Float64bits(v.Float()))
	case reflect.Struct:
		c.add('{')
		for i, name := range namesOf(v.Type()) {
			if field := v.Field(i); !field.IsZero() {
				c.addText(name)
				c.addValue(field)
			}
		}
	case reflect.Slice:
		c.addList(v)
	case reflect.Map:
		c.add('m')
		all := checksum(v.Len())
		for entries := v.MapRange(); entries.Next(); {
			entry := newChecksum()
			entry.addText(entries.Key().String())
			entry.addValue(entries.Value())
			all += entry
		}
		c.addNumber(uint64(all))
	}
}

func (c *checksum) addList(v reflect.Value) {
	if isJSON(v) {
		c.addText(string(jsontext.Sorted(v.Interface().(runtime.JSON))))
		return
	}
	c.add('[')
	for i := range v.Len() {
		c.addValue(v.Index(i))
	}
	c.addNumber(uint64(v.Len()))
}
