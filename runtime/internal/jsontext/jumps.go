package jsontext

import (
	"slices"
	"unsafe"
)

// Jumps are where the long objects and lists of valid JSON begin and end. With them, cursors over
// the same memory step over a value without reading it, so that what is nested is not read once
// more at each level.
type Jumps struct {
	data   []byte
	starts []uint32
	ends   []uint32
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
			j.sort()
			return j
		case '[', '{':
			open = append(open, uint32(c.At))
			c.At++
		case ']', '}':
			c.At++
			if last := len(open) - 1; last >= 0 {
				if c.At-int(open[last]) >= longValue {
					j.starts, j.ends = append(j.starts, open[last]), append(j.ends, uint32(c.At))
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

// sort sorts the jumps by where they begin: they were found by where they end.
func (j *Jumps) sort() {
	order := make([]uint64, len(j.starts))
	for i := range order {
		order[i] = uint64(j.starts[i])<<32 | uint64(j.ends[i])
	}
	slices.Sort(order)
	for i, both := range order {
		j.starts[i], j.ends[i] = uint32(both>>32), uint32(both)
	}
}

// end returns where the value ends that a cursor is at; zero if that is not known.
func (j *Jumps) end(c *Cursor) int {
	if j == nil || c.At >= len(c.Data) || c.Data[c.At] != '{' && c.Data[c.At] != '[' {
		return 0
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(c.Data))) - uintptr(unsafe.Pointer(unsafe.SliceData(j.data)))
	i, found := slices.BinarySearch(j.starts, uint32(from)+uint32(c.At))
	if !found || from > uintptr(len(j.data)) {
		return 0
	}
	if end := int(j.ends[i]) - int(from); end <= len(c.Data) {
		return end
	}
	return 0
}
