package runtime

import (
	"reflect"
	"sort"
	"unsafe"
)

// list reads a list. Elements that should be objects and are not are misfits of the object around the list; any other
// element that does not fit makes the whole list a misfit.
func (r *valueReader) list(s *shape, p unsafe.Pointer) bool {
	start := r.at
	l := (*list)(p)
	m := r.misfits.beginList(s)
	n, room := 0, 0
	r.at++
	for i := 0; r.more(']'); i++ {
		if n == room {
			room = r.grow(s, p, start, i, n)
		}
		at := unsafe.Add(l.data, uintptr(n)*s.elem.size)
		switch r.element(s, at, &m, i, n) {
		case fits:
			n++
		case refused:
			return false
		}
		if !r.watch.ok() {
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

// element reads the element i of a list into the place n.
func (r *valueReader) element(s *shape, at unsafe.Pointer, m *listMisfits, i, n int) fit {
	isNull := r.peek() == 'n' && !(r.misfits == nil && !r.exact)
	if r.misfits == nil {
		if isNull && !s.elem.isNullable() || !r.value(s.elem, at) {
			return refused
		}
		return fits
	}
	start, mark := r.at, r.misfits.mark()
	if !isNull || s.elem.kind == freeKind {
		r.misfits.enter(indexFrame, nil, n, i)
		inner := r.misfits.beginInner(m, nil, n)
		if r.value(s.elem, at) {
			r.misfits.endInner(m, inner)
			r.misfits.leave()
			return fits
		}
		r.misfits.reset(mark)
		reflect.NewAt(s.elem.of, at).Elem().SetZero()
		r.at = start
	}
	if object := s.elem.object(); !r.owned || object == nil || !r.misfits.owns(object) || !r.misfits.hasRoom() {
		return refused
	}
	r.misfits.element(m, i, r.raw())
	return taken
}

// isNullable reports whether a null in a list or a map is written again as a null.
func (s *shape) isNullable() bool {
	return s.kind == pointerKind || s.kind == listKind || s.kind == dictKind || s.kind == freeKind
}

// grow makes room for more than n elements of a list that begins at start, of which the element i is at hand. It makes
// as much as the list needs, but no more than some times of what it has, since elements may turn out to be misfits.
func (r *valueReader) grow(s *shape, p unsafe.Pointer, start, i, n int) (room int) {
	const few, times = 64, 8
	switch {
	case n == 0 && i == 0:
		room = 1
	default:
		room = min(max(few, times*n), n+r.length(start)-i)
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
		r.lengths, r.counted = lengthsOf(r.data), true
	}
	i := sort.Search(len(r.lengths), func(i int) bool { return r.lengths[i].at >= uint32(start) })
	return int(r.lengths[i].count)
}

// lengthsOf counts the elements of all lists in valid JSON, in the order in which they begin.
func lengthsOf(data []byte) []listLength {
	var out []listLength
	var open []int // indices of the lists that are open; -1 for an object
	c := cursor{data: data}
	for {
		switch b := c.peek(); b {
		case 0:
			return out
		case '[':
			open, out = append(open, len(out)), append(out, listLength{at: uint32(c.at), count: 1})
			c.at++
		case '{':
			open = append(open, -1)
			c.at++
		case ']', '}':
			open = open[:len(open)-1]
			c.at++
		case ',':
			if i := open[len(open)-1]; i >= 0 {
				out[i].count++
			}
			c.at++
		case '"':
			c.skipText()
		default:
			c.at++
		}
	}
}

// dict reads a map. Values that should be objects and are not are misfits of the object around the map; any other
// value that does not fit makes the whole map a misfit. A null is an absent value, but for free JSON.
func (r *valueReader) dict(s *shape, p unsafe.Pointer) bool {
	entries := reflect.NewAt(s.of, p).Elem()
	entries.Set(reflect.MakeMap(s.of))
	m := r.misfits.beginList(s)
	for r.take('{'); r.more('}'); {
		name := r.name()
		if r.dictValue(s, entries, &m, name) == refused || !r.watch.ok() {
			return false
		}
	}
	r.misfits.endList(&m)
	return true
}

func (r *valueReader) dictValue(s *shape, entries reflect.Value, m *listMisfits, name []byte) fit {
	if r.misfits == nil {
		if r.exact && r.peek() == 'n' && !s.elem.isNullable() {
			return refused
		}
		if ok, _ := r.entry(s, entries, name); !ok {
			return refused
		}
		return fits
	}
	if r.peek() == 'n' && s.elem.kind != freeKind {
		r.at += len(null)
		return taken
	}
	start, mark := r.at, r.misfits.mark()
	r.misfits.enter(keyFrame, name, 0, 0)
	inner := r.misfits.beginInner(m, name, 0)
	if ok, _ := r.entry(s, entries, name); ok {
		r.misfits.endInner(m, inner)
		r.misfits.leave()
		return fits
	}
	r.misfits.reset(mark)
	r.at = start
	if object := s.elem.object(); !r.owned || object == nil || !r.misfits.owns(object) || !r.misfits.hasRoom() {
		return refused
	}
	r.misfits.value(m, name, r.raw())
	return taken
}
