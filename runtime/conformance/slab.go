package conformance

import (
	"reflect"
	"unsafe"
)

// slab returns zero values of one type from chunks of memory, each value once.
type slab struct {
	of    reflect.Type
	size  uintptr
	chunk unsafe.Pointer
	used  int
	count int
}

const largestChunk = 8192

func newSlab(of reflect.Type) *slab { return &slab{of: of, size: of.Size()} }

// take returns n consecutive values.
func (s *slab) take(n int) unsafe.Pointer {
	if s.count-s.used < n {
		s.grow(n)
	}
	p := unsafe.Add(s.chunk, uintptr(s.used)*s.size)
	s.used += n
	return p
}

// copy returns a copy of the n consecutive values at p.
func (s *slab) copy(p unsafe.Pointer, n int) unsafe.Pointer {
	copied := s.take(n)
	for i := range n {
		at := uintptr(i) * s.size
		s.assign(unsafe.Add(copied, at), unsafe.Add(p, at))
	}
	return copied
}

// assign sets the value at dst to that at src.
func (s *slab) assign(dst, src unsafe.Pointer) {
	reflect.NewAt(s.of, dst).Elem().Set(reflect.NewAt(s.of, src).Elem())
}

func (s *slab) grow(n int) {
	most := max(1, largestChunk/int(max(s.size, 1)))
	s.count = max(n, min(max(4, 2*s.count), most))
	s.chunk = reflect.MakeSlice(reflect.SliceOf(s.of), s.count, s.count).UnsafePointer()
	s.used = 0
}

// at returns a pointer to the value at p, as a pointer to its type.
func at(of reflect.Type, p unsafe.Pointer) any { return reflect.NewAt(of, p).Interface() }
