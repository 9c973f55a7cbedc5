package genruntime

import (
	"reflect"
	"slices"
	"sort"
	"unsafe"

	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// list reads a list. Elements that should be objects and are not are misfits of the object around the list; any other
// element that does not fit makes the whole list a misfit.
func (r *valueReader) list(s *shape, p unsafe.Pointer) bool {
	start := r.At
	l := (*list)(p)
	m := r.misfits.beginList(s)
	n, room := 0, 0
	r.At++
	for i := 0; r.More(']'); i++ {
		if n == room && !r.isMisfit(s.elem) {
			room = r.grow(s, p, start, i, n)
		}
		switch r.element(s, p, &m, i, n) {
		case fits:
			n++
		case refused:
			return false
		}
		if !r.watch.OK() {
			return false
		}
	}
	if room == 0 {
		reflect.NewAt(s.of, p).Elem().Set(reflect.MakeSlice(s.of, 0, 0))
	}
	l.length = n
	r.misfits.endList(&m)
	return true
}

// fit is what became of an element or a value of a map.
type fit uint8

const (
	fits fit = iota
	taken
	refused
)

// isMisfit reports whether the value at hand can be seen to be a misfit: no object where there should be one.
func (r *valueReader) isMisfit(s *shape) bool {
	if r.misfits == nil {
		return false
	}
	b := r.Peek()
	return b == 'n' && s.kind != freeKind || b != '{' && !s.foreign && s.object() != nil
}

// element reads the element i of a list into the place n of the list at p, which has room for it unless the element is a misfit.
func (r *valueReader) element(s *shape, p unsafe.Pointer, m *listMisfits, i, n int) fit {
	if r.misfits == nil {
		if r.exact && r.Peek() == 'n' && !s.elem.isNullable() || !r.value(s.elem, s.element(p, n)) {
			return refused
		}
		return fits
	}
	if !r.isMisfit(s.elem) {
		start, mark := r.At, r.misfits.mark()
		r.misfits.enter(indexFrame, "", n, i)
		inner := r.misfits.beginInner(m, nil, n)
		at := s.element(p, n)
		if r.value(s.elem, at) {
			r.misfits.endInner(m, inner)
			r.misfits.leave()
			return fits
		}
		r.misfits.reset(mark)
		reflect.NewAt(s.elem.of, at).Elem().SetZero()
		r.At = start
	}
	if !r.gathers(s) {
		return refused
	}
	r.misfits.element(m, i, r.Raw())
	return taken
}

// gathers reports whether the misfits of a list or a map are gathered in the bag of the object around.
func (r *valueReader) gathers(s *shape) bool {
	object := s.elem.object()
	return r.owned && object != nil && r.misfits.owns(object) && r.misfits.hasRoom()
}

// isNullable reports whether a null in a list or a map is written again as a null.
func (s *shape) isNullable() bool {
	return s.kind == pointerKind || s.kind == listKind || s.kind == dictKind || s.kind == freeKind
}

// grow makes room for more than n elements of a list that begins at start, of which the element i is at hand. It makes
// as much as the list needs if further elements are misfits as often as those before, but no more than some times of what
// it has.
func (r *valueReader) grow(s *shape, p unsafe.Pointer, start, i, n int) (room int) {
	const few, times = 16, 4
	room = 1
	if i > 0 {
		left := r.length(start) - i
		room = n + min(left, max(few, times*n), left*(n+1)/(i+1)+few)
	}
	grown := reflect.MakeSlice(s.of, room, room)
	at := reflect.NewAt(s.of, p).Elem()
	if n > 0 {
		(*list)(p).length = n
		reflect.Copy(grown, at)
	}
	at.Set(grown)
	return room
}

// listLength is how many elements the list has that begins at an offset.
type listLength struct{ at, count uint32 }

// length is how many elements the list has that begins at start.
func (r *valueReader) length(start int) int {
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

// dict reads a map. Values that should be objects and are not are misfits of the object around the map; any other
// value that does not fit makes the whole map a misfit. A null is an absent value, but for free JSON.
func (r *valueReader) dict(s *shape, p unsafe.Pointer) bool {
	entries := reflect.NewAt(s.of, p).Elem()
	entries.Set(reflect.MakeMap(s.of))
	m := r.misfits.beginList(s)
	for r.Take('{'); r.More('}'); {
		name := r.Name()
		if r.dictValue(s, entries, &m, name) == refused || !r.watch.OK() {
			return false
		}
	}
	r.misfits.endList(&m)
	return true
}

func (r *valueReader) dictValue(s *shape, entries reflect.Value, m *listMisfits, name []byte) fit {
	if r.misfits == nil {
		if r.exact && r.Peek() == 'n' && !s.elem.isNullable() {
			return refused
		}
		if ok, _ := r.entry(s, entries, name); !ok {
			return refused
		}
		return fits
	}
	if r.Peek() == 'n' && s.elem.kind != freeKind {
		r.At += len(jsontext.Null)
		return taken
	}
	start, mark := r.At, r.misfits.mark()
	r.misfits.enter(keyFrame, jsontext.Borrow(name), 0, 0)
	inner := r.misfits.beginInner(m, name, 0)
	if ok, _ := r.entry(s, entries, name); ok {
		r.misfits.endInner(m, inner)
		r.misfits.leave()
		return fits
	}
	r.misfits.reset(mark)
	r.At = start
	if !r.gathers(s) {
		return refused
	}
	r.misfits.value(m, name, r.Raw())
	return taken
}
