package genruntime

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime"
)

// member returns the member of an object with a name; nil where the type names none.
func (s *shape) member(name string) *field {
	i, found := slices.BinarySearchFunc(s.fields, name, func(f field, name string) int { return strings.Compare(f.name, name) })
	if !found {
		return nil
	}
	return &s.fields[i]
}

// object returns the object that a shape is, or points to; nil for other shapes.
func (s *shape) object() *shape {
	for s.kind == pointerKind {
		s = s.elem
	}
	if s.kind != objectKind {
		return nil
	}
	return s
}

// reach follows the pointers of a value to what it is. The address is nil where one of them is.
func (s *shape) reach(p unsafe.Pointer) (*shape, unsafe.Pointer) {
	for s.kind == pointerKind && p != nil {
		s, p = s.elem, *(*unsafe.Pointer)(p)
	}
	return s, p
}

func (s *shape) bagAt(p unsafe.Pointer) *runtime.PropertyBag {
	return (*runtime.PropertyBag)(unsafe.Add(p, s.bag))
}

// length returns how many elements the list at p has.
func (s *shape) length(p unsafe.Pointer) int { return (*list)(p).length }

// element returns the address of an element of the list at p.
func (s *shape) element(p unsafe.Pointer, i int) unsafe.Pointer {
	return unsafe.Add((*list)(p).data, uintptr(i)*s.elem.size)
}

// list is how slices lie in memory.
type list struct {
	data             unsafe.Pointer
	length, capacity int
}

// isAbsent reports whether a value is not there: a nil pointer, list, map or free value.
func (s *shape) isAbsent(p unsafe.Pointer) bool {
	switch s.kind {
	case pointerKind, dictKind, listKind, freeKind:
		return *(*unsafe.Pointer)(p) == nil
	default:
		return false
	}
}

// dict returns the map at p.
func (s *shape) dict(p unsafe.Pointer) reflect.Value { return reflect.NewAt(s.of, p).Elem() }

// entry is one entry of a map, copied to where it has an address.
type entry struct {
	iter       reflect.MapIter
	key, value reflect.Value
}

// take borrows an entry for reading the map at p; give returns it.
func (s *shape) take(p unsafe.Pointer) *entry {
	e := s.entryOf()
	e.iter.Reset(s.dict(p))
	return e
}

// entryOf borrows a blank entry.
func (s *shape) entryOf() *entry {
	e, ok := s.entries.Get().(*entry)
	if !ok {
		e = &entry{key: reflect.New(s.of.Key()).Elem(), value: reflect.New(s.of.Elem()).Elem()}
	}
	return e
}

func (s *shape) give(e *entry) {
	e.iter.Reset(reflect.Value{})
	e.key.SetZero()
	e.value.SetZero()
	s.entries.Put(e)
}

func (e *entry) next() bool {
	if !e.iter.Next() {
		return false
	}
	e.value.SetIterValue(&e.iter)
	return true
}

func (e *entry) name() string {
	e.key.SetIterKey(&e.iter)
	return e.key.String()
}

func (e *entry) address() unsafe.Pointer { return e.value.Addr().UnsafePointer() }
