package shape

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime"
)

// IsScalar reports whether values are strings, numbers or booleans, or pointers to them.
func (s *Shape) IsScalar() bool {
	for s.Kind == Pointer {
		s = s.Elem
	}
	return Text <= s.Kind && s.Kind <= Bool
}

// Member returns the member of an object with a name, and nil if the type does not have one.
func (s *Shape) Member(name string) *Field {
	i, found := slices.BinarySearchFunc(s.Fields, name, func(f Field, name string) int { return strings.Compare(f.Name, name) })
	if !found {
		return nil
	}
	return &s.Fields[i]
}

// Object returns the object that a shape is, or points to; nil for other shapes.
func (s *Shape) Object() *Shape {
	for s.Kind == Pointer {
		s = s.Elem
	}
	if s.Kind != Object {
		return nil
	}
	return s
}

// Reach follows the pointers to a value. The address is nil if one of the pointers is.
func (s *Shape) Reach(p unsafe.Pointer) (*Shape, unsafe.Pointer) {
	for s.Kind == Pointer && p != nil {
		s, p = s.Elem, *(*unsafe.Pointer)(p)
	}
	return s, p
}

// BagAt returns the property bag of the object at p, whose shape must have one.
func (s *Shape) BagAt(p unsafe.Pointer) *runtime.PropertyBag {
	return (*runtime.PropertyBag)(unsafe.Add(p, s.bag))
}

// Length returns the number of elements of the list at p.
func (s *Shape) Length(p unsafe.Pointer) int { return (*SliceHeader)(p).Length }

// Element returns the address of an element of the list at p.
func (s *Shape) Element(p unsafe.Pointer, i int) unsafe.Pointer {
	return unsafe.Add((*SliceHeader)(p).Data, uintptr(i)*s.Elem.size)
}

// SliceHeader is the memory layout of slices.
type SliceHeader struct {
	Data             unsafe.Pointer
	Length, capacity int
}

// IsAbsent reports whether a value is absent: a nil pointer, list, map or free JSON.
func (s *Shape) IsAbsent(p unsafe.Pointer) bool {
	switch s.Kind {
	case Pointer, Map, List, JSON:
		return *(*unsafe.Pointer)(p) == nil
	default:
		return false
	}
}

// MapAt returns the map at p.
func (s *Shape) MapAt(p unsafe.Pointer) reflect.Value { return reflect.NewAt(s.Type, p).Elem() }

// Entry is a copy of one entry of a map, which has an address.
type Entry struct {
	iter       reflect.MapIter
	key, Value reflect.Value
}

// Borrow returns an entry for reading the map at p. The caller must pass it to Return.
func (s *Shape) Borrow(p unsafe.Pointer) *Entry {
	e := s.BlankEntry()
	e.iter.Reset(s.MapAt(p))
	return e
}

// BlankEntry returns a blank entry. The caller must pass it to Return.
func (s *Shape) BlankEntry() *Entry {
	e, ok := s.entries.Get().(*Entry)
	if !ok {
		e = &Entry{key: reflect.New(s.Type.Key()).Elem(), Value: reflect.New(s.Type.Elem()).Elem()}
	}
	return e
}

// Return takes back an entry of Borrow or BlankEntry.
func (s *Shape) Return(e *Entry) {
	e.iter.Reset(reflect.Value{})
	e.key.SetZero()
	e.Value.SetZero()
	s.entries.Put(e)
}

// Next copies the next value of the map into the entry, and reports whether there was one.
func (e *Entry) Next() bool {
	if !e.iter.Next() {
		return false
	}
	e.Value.SetIterValue(&e.iter)
	return true
}

// Name returns the key of the current value.
func (e *Entry) Name() string {
	e.key.SetIterKey(&e.iter)
	return e.key.String()
}

// Address returns the address of the copied value.
func (e *Entry) Address() unsafe.Pointer { return e.Value.Addr().UnsafePointer() }

// IsCollection reports whether a value is a list or a map.
func (s *Shape) IsCollection() bool {
	for s.Kind == Pointer {
		s = s.Elem
	}
	return s.Kind == List || s.Kind == Map
}

// SortedKeys returns the keys of the map at p, sorted.
func (s *Shape) SortedKeys(p unsafe.Pointer) []reflect.Value {
	keys := s.MapAt(p).MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// EditEntry calls change with a copy of one value of the map at p, and stores the copy. It
// returns false if there is no such value.
func (s *Shape) EditEntry(p unsafe.Pointer, key reflect.Value, change func(value unsafe.Pointer)) bool {
	entries := s.MapAt(p)
	key = key.Convert(s.Type.Key())
	value := entries.MapIndex(key)
	if !value.IsValid() {
		return false
	}
	edited := reflect.New(s.Type.Elem())
	edited.Elem().Set(value)
	change(edited.UnsafePointer())
	entries.SetMapIndex(key, edited.Elem())
	return true
}

// IsOpenMap reports whether an object has only additional members. The API has a map in its
// place.
func (s *Shape) IsOpenMap() bool { return s.Additional != nil && len(s.Fields) == 0 }
