package codec

import (
	"reflect"
	"slices"
	"sort"
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// grow makes room for more than n elements of a list that begins at start, of which the element i
// is at hand. It makes as much as the list needs if further elements are misfits as often as those
// before, but no more than some times of what it has.
func (r *Reader) grow(s *shape.Shape, p unsafe.Pointer, start, i, n int) (room int) {
	const few, times = 16, 4
	room = 1
	if i > 0 {
		left := r.length(start) - i
		room = n + min(left, max(few, times*n), left*(n+1)/(i+1)+few)
	}
	grown := reflect.MakeSlice(s.Type, room, room)
	at := reflect.NewAt(s.Type, p).Elem()
	if n > 0 {
		(*shape.SliceHeader)(p).Length = n
		reflect.Copy(grown, at)
	}
	at.Set(grown)
	return room
}

// widen makes room in a map for the members that are left, so that it need not grow again and
// again. It looks ahead no further than a few times the length of the JSON, over all maps.
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

// manyEntries is how many entries a map has before it is made for as many as it gets.
const manyEntries = 64

// length is how many elements the list has that begins at start.
func (r *Reader) length(start int) int {
	if !r.counted {
		r.lengths, r.counted = lengthsOf(r.Data), true
	}
	i := sort.Search(len(r.lengths), func(i int) bool { return r.lengths[i].at >= uint32(start) })
	return int(r.lengths[i].count)
}

// lengthsOf counts the elements of all lists in valid JSON, in the order in which they begin.
func lengthsOf(data []byte) []listLength {
	var out []listLength
	var open []int // indices of the lists that are open; -1 for an object
	c := jsontext.Cursor{Data: data}
	for {
		switch b := c.Peek(); b {
		case 0:
			return out
		case '[':
			if len(out) == cap(out) {
				out = slices.Grow(out, len(out)+1)
			}
			open, out = append(open, len(out)), append(out, listLength{at: uint32(c.At), count: 1})
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
