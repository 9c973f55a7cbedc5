package jsontext

import (
	"slices"
	"unsafe"
)

// Jumps has the offsets and ends of the long objects and lists of valid JSON. With them, cursors
// over the same memory step over a value without reading it. So nested values are not read once
// for each level.
type Jumps struct {
	data []byte
	// spans are the offsets of values, in the upper half, and their ends, sorted.
	spans []uint64
}

// end returns the end of the value that begins at an offset of data, and zero if it is not known.
func (j *Jumps) end(data []byte, at int) int {
	if j == nil || at >= len(data) || data[at] != '{' && data[at] != '[' {
		return 0
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(data))) - uintptr(unsafe.Pointer(unsafe.SliceData(j.data)))
	start := uint64(uint32(from) + uint32(at))
	i, _ := slices.BinarySearch(j.spans, start<<32)
	if i == len(j.spans) || j.spans[i]>>32 != start || from > uintptr(len(j.data)) {
		return 0
	}
	if end := int(uint32(j.spans[i])) - int(from); end <= len(data) {
		return end
	}
	return 0
}
