package codec

import (
	"reflect"
	"slices"
	"sort"
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// list reads a list. Elements that should be objects and are not are misfits of the object around
// the list; any other element that does not fit makes the whole list a misfit.
func (r *Reader) list(s *shape.Shape, p unsafe.Pointer) bool {
	start := r.At
	l := (*shape.SliceHeader)(p)
	m := r.Misfits.beginList(s)
	n, room := 0, 0
	r.At++
	for i := 0; r.More(']'); i++ {
		if n == room && !r.isMisfit(s.Elem) {
			room = r.grow(s, p, start, i, n)
		}
		switch r.element(s, p, &m, i, n) {
		case fits:
			n++
		case refused:
			return false
		}
		if !r.Watch.OK() {
			return false
		}
	}
	if room == 0 {
		reflect.NewAt(s.Type, p).Elem().Set(reflect.MakeSlice(s.Type, 0, 0))
	}
	l.Length = n
	r.Misfits.endList(&m)
	return true
}

// fit is what became of an element or a value of a map.
type fit uint8

const (
	fits fit = iota
	taken
	refused
)

// isMisfit reports whether the value at hand can be seen to be a misfit: no object where there
// should be one.
func (r *Reader) isMisfit(s *shape.Shape) bool {
	if r.Misfits == nil {
		return false
	}
	b := r.Peek()
	return b == 'n' && s.Kind != shape.JSON || b != '{' && !s.Foreign && s.Object() != nil
}

// element reads the element i of a list into the place n of the list at p, which has room for it
// unless the element is a misfit.
func (r *Reader) element(s *shape.Shape, p unsafe.Pointer, m *listMisfits, i, n int) fit {
	if r.Misfits == nil {
		if r.exact && r.Peek() == 'n' && !isNullable(s.Elem) || !r.Value(s.Elem, s.Element(p, n)) {
			return refused
		}
		return fits
	}
	if !r.isMisfit(s.Elem) {
		start, mark := r.At, r.Misfits.Mark()
		r.Misfits.Enter(indexFrame, "", n, i)
		inner := r.Misfits.beginInner(m, nil, n)
		at := s.Element(p, n)
		if r.Value(s.Elem, at) {
			r.Misfits.endInner(m, inner)
			r.Misfits.Leave()
			return fits
		}
		r.Misfits.Reset(mark)
		reflect.NewAt(s.Elem.Type, at).Elem().SetZero()
		r.At = start
	}
	if !r.gathers(s) {
		return refused
	}
	r.Misfits.element(m, i, r.Raw())
	return taken
}

// gathers reports whether the misfits of a list or a map are gathered in the bag of the object
// around.
func (r *Reader) gathers(s *shape.Shape) bool {
	object := s.Elem.Object()
	return r.owned && object != nil && r.Misfits.Owns(object) && r.Misfits.hasRoom()
}

// isNullable reports whether a null in a list or a map is written again as a null.
func isNullable(s *shape.Shape) bool {
	return s.Kind == shape.Pointer || s.Kind == shape.List || s.Kind == shape.Map || s.Kind == shape.JSON
}

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

// listLength is how many elements the list has that begins at an offset.
type listLength struct{ at, count uint32 }

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

// dict reads a map. Values that should be objects and are not are misfits of the object around the
// map; any other value that does not fit makes the whole map a misfit. A null is an absent value,
// but for free JSON.
func (r *Reader) dict(s *shape.Shape, p unsafe.Pointer) bool {
	entries := reflect.NewAt(s.Type, p).Elem()
	entries.Set(reflect.MakeMap(s.Type))
	m := r.Misfits.beginList(s)
	for r.Take('{'); r.More('}'); {
		name := r.Name()
		if r.dictValue(s, entries, &m, name) == refused || !r.Watch.OK() {
			return false
		}
	}
	r.Misfits.endList(&m)
	return true
}

func (r *Reader) dictValue(s *shape.Shape, entries reflect.Value, m *listMisfits, name []byte) fit {
	if r.Misfits == nil {
		if r.exact && r.Peek() == 'n' && !isNullable(s.Elem) {
			return refused
		}
		if ok, _ := r.entry(s, entries, name); !ok {
			return refused
		}
		return fits
	}
	if r.Peek() == 'n' && s.Elem.Kind != shape.JSON {
		r.At += len(jsontext.Null)
		return taken
	}
	start, mark := r.At, r.Misfits.Mark()
	r.Misfits.Enter(keyFrame, jsontext.Borrow(name), 0, 0)
	inner := r.Misfits.beginInner(m, name, 0)
	if ok, _ := r.entry(s, entries, name); ok {
		r.Misfits.endInner(m, inner)
		r.Misfits.Leave()
		return fits
	}
	r.Misfits.Reset(mark)
	r.At = start
	if !r.gathers(s) {
		return refused
	}
	r.Misfits.value(m, name, r.Raw())
	return taken
}
