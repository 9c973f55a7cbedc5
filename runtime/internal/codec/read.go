package codec

import (
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Value reads a value of shape s into p. It reports whether the value fits.
func (r *Reader) Value(s *shape.Shape, p unsafe.Pointer) bool {
	if s.Foreign || s.Kind == shape.Opaque {
		return r.opaque(s, p)
	}
	b := r.Peek()
	if b == 'n' {
		r.At += len(jsontext.Null)
		return true
	}
	switch s.Kind {
	case shape.Pointer:
		return r.pointer(s, p)
	case shape.Text:
		if b != '"' {
			return r.mismatch(s)
		}
		*(*string)(p) = string(jsontext.Unquoted(r.Raw()))
		return true
	case shape.Integer, shape.Number:
		return (b == '-' || '0' <= b && b <= '9') && r.number(s, p) || r.mismatch(s)
	case shape.Bool:
		if b != 't' && b != 'f' {
			return r.mismatch(s)
		}
		*(*bool)(p) = string(r.Raw()) == "true"
		return true
	case shape.JSON:
		*(*runtime.JSON)(p) = slices.Clone(r.Raw())
		return true
	case shape.Object:
		return b == '{' && r.object(s, p) || r.mismatch(s)
	case shape.List:
		return b == '[' && r.list(s, p) || r.mismatch(s)
	default:
		return b == '{' && r.dict(s, p) || r.mismatch(s)
	}
}

func (r *Reader) pointer(s *shape.Shape, p unsafe.Pointer) bool {
	var to unsafe.Pointer
	switch s.Elem.Kind {
	case shape.Text:
		to = unsafe.Pointer(new(string))
	case shape.Integer:
		to = unsafe.Pointer(new(int64))
	case shape.Bool:
		to = unsafe.Pointer(new(bool))
	default:
		to = reflect.New(s.Elem.Type).UnsafePointer()
	}
	if !r.Value(s.Elem, to) {
		return false
	}
	*(*unsafe.Pointer)(p) = to
	return true
}

func (r *Reader) number(s *shape.Shape, p unsafe.Pointer) bool {
	start := r.At
	literal := jsontext.Borrow(r.Raw())
	var err error
	if s.Kind == shape.Integer {
		*(*int64)(p), err = strconv.ParseInt(literal, 10, 64)
	} else {
		*(*float64)(p), err = strconv.ParseFloat(literal, 64)
	}
	if err != nil || r.exact && s.Kind == shape.Number && !jsontext.IsExact(*(*float64)(p), literal) {
		r.At = start
		return false
	}
	return true
}

// whole reads an integer, which must fit its type and an int64.
func (r *Reader) whole(s *shape.Shape, p unsafe.Pointer) bool {
	start := r.At
	v, err := strconv.ParseInt(jsontext.Borrow(r.Raw()), 10, 64)
	if err == nil && s.SetWhole(p, v) {
		return true
	}
	r.At = start
	return r.mismatch(s)
}

// opaque reads a value with its type's own decoder.
func (r *Reader) opaque(s *shape.Shape, p unsafe.Pointer) bool {
	if b := r.Peek(); s.Whole && b != 'n' {
		return r.whole(s, p)
	}
	start := r.At
	value, into := r.Raw(), reflect.NewAt(s.Type, p).Interface()
	if r.exact {
		return DecodeStrictly(value, into) && IsFaithful(value, into)
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(value, into); err != nil {
		if r.At = start; r.Err == nil {
			r.Err = err
		}
		return false
	}
	return true
}

func (r *Reader) object(s *shape.Shape, p unsafe.Pointer) bool {
	outer := r.owned
	r.owned = r.Misfits != nil && r.Misfits.Owns(s)
	r.Misfits.Enter(ObjectFrame, "", 0, 0)
	m, ok := shape.MemberSet{Of: s}, true
	for r.Take('{'); ok && r.More('}'); {
		ok = r.member(s, p, &m, r.Name()) && r.Watch.OK()
	}
	r.Misfits.Leave()
	r.owned = outer
	return ok
}

func (r *Reader) member(s *shape.Shape, p unsafe.Pointer, m *shape.MemberSet, name []byte) bool {
	if s.HasBag && string(name) == bag.Name {
		again := m.Bag
		m.Bag = true
		return !(again && r.exact) && r.bag(s, p)
	}
	f, again := m.Find(name)
	switch {
	case f != nil:
		return !(again && r.exact) && r.field(s, p, f, again)
	case s.Additional != nil:
		return r.additional(s, p, name)
	case len(s.Embedded) > 0:
		return r.embedded(s, p, name)
	case r.exact:
		return r.gather(s, p, name)
	case r.Misfits != nil && r.Misfits.InBags && s.HasBag && r.owned:
		r.unknown(s, p, name)
		return true
	default:
		r.Raw()
		return true
	}
}

// field reads a member that the type names. A null is an absent member.
func (r *Reader) field(s *shape.Shape, p unsafe.Pointer, f *shape.Field, again bool) bool {
	at := unsafe.Add(p, f.Offset)
	if again {
		reflect.NewAt(f.Shape.Type, at).Elem().SetZero()
	}
	b := r.Peek()
	if b == 'n' && (r.Misfits != nil || r.exact) {
		r.At += len(jsontext.Null)
		return true
	}
	if r.Misfits == nil {
		return r.Value(f.Shape, at) || r.within(f.Name)
	}
	if f.Shape.IsScalar() && r.Value(f.Shape, at) {
		return true
	}
	start, mark := r.At, r.Misfits.Mark()
	r.Misfits.Enter(memberFrame, f.Name, 0, 0)
	if r.Value(f.Shape, at) {
		r.Misfits.Leave()
		r.Misfits.listed(s, p, mark, f.Name)
		return true
	}
	r.Misfits.Reset(mark)
	reflect.NewAt(f.Shape.Type, at).Elem().SetZero()
	r.At = start
	return r.keep(s, p, f.Name)
}

// bag reads the property bag of an object. Existing entries are misfits, which stay.
func (r *Reader) bag(s *shape.Shape, p unsafe.Pointer) bool {
	b := s.BagAt(p)
	switch r.Peek() {
	case 'n':
		r.At += len(jsontext.Null)
		return true
	case '{':
	default:
		if r.Misfits == nil {
			return r.mismatch(s)
		}
		return r.keep(s, p, bag.Name)
	}
	if *b == nil {
		*b = runtime.PropertyBag{}
	}
	for r.Take('{'); r.More('}'); {
		name := string(r.Name())
		value := r.Raw()
		_, found := (*b)[name]
		if found && r.exact {
			return false
		} else if found && r.Misfits != nil && r.Misfits.isOwn(name) {
			continue
		}
		if string(value) == jsontext.Null {
			value = nil
		}
		if len(*b) == bag.Small && !found {
			*b = bag.WithRoom(*b, r.Count())
		}
		(*b)[name] = slices.Clone(value)
	}
	return true
}

// embedded reads a member of a struct that is embedded by a pointer. It steps over a member that
// no such struct has.
func (r *Reader) embedded(s *shape.Shape, p unsafe.Pointer, name []byte) bool {
	for _, e := range s.Embedded {
		f := e.Shape.Member(string(name))
		if f == nil {
			continue
		}
		at := (*unsafe.Pointer)(unsafe.Add(p, e.Offset))
		if *at == nil {
			*at = reflect.New(e.Shape.Type).UnsafePointer()
		}
		return r.field(s, *at, f, true)
	}
	r.Raw()
	return true
}

// additional reads an additional member of an open object.
func (r *Reader) additional(s *shape.Shape, p unsafe.Pointer, name []byte) bool {
	of := s.Additional.Shape
	if r.Peek() == 'n' && of.Elem.Kind != shape.JSON {
		r.At += len(jsontext.Null)
		return true
	}
	start, mark := r.At, r.Misfits.Mark()
	r.Misfits.Enter(moreFrame, jsontext.Borrow(name), 0, 0)
	entries, key := of.MapAt(unsafe.Add(p, s.Additional.Offset)), name
	if s.HasBag && bag.IsLike(name, bag.Name) {
		key = []byte(bag.APIName(string(name)))
	}
	if ok, dup := r.entry(of, entries, key); dup {
		return false
	} else if ok {
		r.Misfits.Leave()
		r.Misfits.listed(s, p, mark, jsontext.Borrow(name))
		return true
	}
	if r.Misfits == nil {
		return r.within(jsontext.Borrow(name))
	}
	r.Misfits.Reset(mark)
	r.At = start
	return r.keep(s, p, jsontext.Borrow(name))
}

// entry reads a value into a map, and creates the map if necessary. If the reader is exact, entry
// refuses a second value of one name.
func (r *Reader) entry(s *shape.Shape, entries reflect.Value, name []byte) (ok, dup bool) {
	if r.exact && entries.Len() > 0 && entries.MapIndex(entryKey(s, name)).IsValid() {
		return false, true
	}
	value := s.BlankEntry()
	defer s.Return(value)
	if !r.Value(s.Elem, value.Address()) {
		return false, false
	}
	if entries.IsNil() {
		entries.Set(reflect.MakeMap(s.Type))
	} else if entries.Len() == manyEntries {
		r.widen(s, entries)
	}
	switch m := entries.Addr().Interface().(type) {
	case *map[string]string:
		(*m)[string(name)] = value.Value.String()
	case *map[string]runtime.JSON:
		(*m)[string(name)] = *(*runtime.JSON)(value.Address())
	default:
		entries.SetMapIndex(entryKey(s, name), value.Value)
	}
	return true, false
}

// entryKey returns a key of a map as a value of its type.
func entryKey(s *shape.Shape, name []byte) reflect.Value {
	key := reflect.New(s.Type.Key()).Elem()
	key.SetString(string(name))
	return key
}

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

// fit is the result of reading an element or a value of a map.
type fit uint8

const (
	fits fit = iota
	taken
	refused
)

// element reads the element i of a list into index n of the list at p. The list must have room
// for it, unless the element is a misfit.
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

// dict reads a map. Values that should be objects and are not are misfits of the object around
// the map; any other value that does not fit makes the whole map a misfit. A null is an absent
// value, except for free JSON.
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
