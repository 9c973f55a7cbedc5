package codec

import (
	"reflect"
	"slices"
	"sort"
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// grow allocates a list with room for more than n elements. The list begins at start, and its
// element i is the current one. For the first element it makes room for one, or for some if the
// list is deep: then a second array would be needed at each depth. Later it estimates the number of
// further elements from the share of misfits so far. It adds room for at most 4n elements, or for
// 16 if that is more.
func (r *Reader) grow(s *shape.Shape, p unsafe.Pointer, start, i, n int) (room int) {
	const few, times = 16, 4
	room = 1
	if i > 0 || r.Misfits.isDeep() {
		left := r.length(start) - i
		room = n + min(left, max(few, times*n), left*(n+1)/(i+1)+few)
	}
	at := reflect.NewAt(s.Type, p).Elem()
	if n == 0 { // without a header on the heap, which MakeSlice takes
		at.SetZero()
		at.Grow(room)
		at.SetLen(room)
		return room
	}
	grown := reflect.MakeSlice(s.Type, room, room)
	(*shape.SliceHeader)(p).Length = n
	reflect.Copy(grown, at)
	at.Set(grown)
	return room
}

// widen allocates a map with room for the remaining members, which avoids repeated growth. In
// total it scans ahead at most a few times the length of the JSON.
func (r *Reader) widen(s *shape.Shape, entries reflect.Value) {
	const times = 4
	if r.ahead > times*len(r.Data) {
		return
	}
	rest := r.Cursor
	n := 0
	for rest.More('}') {
		rest.Raw()
		rest.Take(':')
		rest.Raw()
		n++
	}
	r.ahead += rest.At - r.At
	wide := reflect.MakeMapWithSize(s.Type, manyEntries+n)
	for iter := entries.MapRange(); iter.Next(); {
		wide.SetMapIndex(iter.Key(), iter.Value())
	}
	entries.Set(wide)
}

// manyEntries is the number of entries at which a map is allocated for its final size.
const manyEntries = 64

// length returns the number of elements of the list that begins at start.
func (r *Reader) length(start int) int {
	if !r.counted {
		r.lengths, r.counted = lengthsOf(r.Data), true
	}
	i := sort.Search(len(r.lengths), func(i int) bool { return r.lengths[i].at >= uint32(start) })
	return int(r.lengths[i].count)
}

// lengthsOf returns the lengths of all lists in valid JSON, in the order in which they begin.
func lengthsOf(data []byte) []listLength {
	var out []listLength
	var open []int32 // indices of the lists that are open; -1 for an object
	c := jsontext.Cursor{Data: data}
	for {
		switch b := c.Peek(); b {
		case 0:
			return out
		case '[':
			if len(out) == cap(out) {
				out = slices.Grow(out, len(out)+1)
			}
			open, out = append(open, int32(len(out))), append(out, listLength{at: uint32(c.At), count: 1})
			c.At++
		case '{':
			open = append(open, -1)
			c.At++
		case ']', '}':
			open = open[:len(open)-1]
			c.At++
		case ',':
			if i := open[len(open)-1]; i >= 0 {
				out[i].count++
			}
			c.At++
		case '"':
			c.SkipText()
		default:
			c.At++
		}
	}
}
