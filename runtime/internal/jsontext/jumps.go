package jsontext

import (
	"slices"
	"unsafe"
)

// Jumps are where the long objects and lists of valid JSON begin and end. With them, cursors over
// the same memory step over a value without reading it, so that what is nested is not read once
// more at each level.
type Jumps struct {
	data []byte
	// spans are the beginnings of values, in the upper half, and their ends, sorted.
	spans []uint64
}

// longValue is how long a value is that is worth a jump.
const longValue = 256

// FindJumps finds the long values of JSON; nil where the JSON itself is not long.
func FindJumps(data []byte) *Jumps {
	if len(data) < longValue {
		return nil
	}
	j := &Jumps{data: data}
	var open []uint32
	c := Cursor{Data: data}
	for {
		switch b := c.Peek(); b {
		case 0:
			slices.Sort(j.spans) // they were found by where they end
			return j
		case '[', '{':
			open = append(open, uint32(c.At))
			c.At++
		case ']', '}':
			c.At++
			if last := len(open) - 1; last >= 0 {
				if c.At-int(open[last]) >= longValue {
					j.spans = append(j.spans, uint64(open[last])<<32|uint64(c.At))
				}
				open = open[:last]
			}
		case '"':
			if !c.SkipText() {
				return nil
			}
		default:
			c.At++
		}
	}
}

// end returns where the value ends that a cursor is at; zero if that is not known.
func (j *Jumps) end(c *Cursor) int {
	if j == nil || c.At >= len(c.Data) || c.Data[c.At] != '{' && c.Data[c.At] != '[' {
		return 0
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(c.Data))) - uintptr(unsafe.Pointer(unsafe.SliceData(j.data)))
	start := uint64(uint32(from) + uint32(c.At))
	i, _ := slices.BinarySearch(j.spans, start<<32)
	if i == len(j.spans) || j.spans[i]>>32 != start || from > uintptr(len(j.data)) {
		return 0
	}
	if end := int(uint32(j.spans[i])) - int(from); end <= len(c.Data) {
		return end
	}
	return 0
}
