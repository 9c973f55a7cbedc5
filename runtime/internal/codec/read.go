package codec

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// Reader reads valid JSON into Go values by their shapes, in one pass: its time is linear in the
// length of the JSON, however deep objects are nested and whatever they hold. It writes only to
// memory that is zero.
//
// Without misfits and without exact it reads what the JSON decoder of Kubernetes reads.
type Reader struct {
	jsontext.Cursor
	// Misfits collects the values that do not fit their types. Where it is nil, such a value is an
	// error.
	Misfits *Misfits
	// exact refuses whatever would not be written again as it was read. Members that a type lacks
	// go to the property bag of their object, or are refused where it has none.
	exact bool
	// lengths are those of all lists; they are counted when the first list with several elements is
	// read.
	lengths []listLength
	counted bool
	// ahead counts the bytes that were looked at ahead.
	ahead int
	// Err describes the value that did not fit.
	Err error
	// owned reports whether the nearest object around the value has a property bag for misfits.
	owned bool
	// Watch ends the reading of a value. The cursor has none, since it reads all of valid JSON.
	Watch *watch.Watch
}

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

// mismatch notes what does not fit; it is always false.
func (r *Reader) mismatch(s *shape.Shape) bool {
	if r.Err == nil && r.Misfits == nil && !r.exact {
		r.Err = &json.UnmarshalTypeError{Value: kindName(r.Peek()), Type: s.Type, Offset: int64(r.At)}
	}
	return false
}

// within names the member of a value that did not fit in the error, up to a length; it is always
// false.
func (r *Reader) within(name string) bool {
	wrong, ok := r.Err.(*json.UnmarshalTypeError)
	switch {
	case !ok || len(wrong.Field)+len(name) > maxPath:
	case wrong.Field == "":
		wrong.Field = strings.Clone(name)
	default:
		wrong.Field = name + "." + wrong.Field
	}
	return false
}

// kindName names the kind of JSON value that begins with b.
func kindName(b byte) string {
	switch b {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	default:
		return "number"
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

// opaque reads a value that only the decoder knows how to read.
func (r *Reader) opaque(s *shape.Shape, p unsafe.Pointer) bool {
	r.Peek()
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

// keep gives the member at hand, which does not fit, to the misfits of its object. It refuses where
// the object has no bag.
func (r *Reader) keep(s *shape.Shape, p unsafe.Pointer, name string) bool {
	if !r.owned || !r.Misfits.hasRoom() {
		return false
	}
	r.Misfits.keep(s, p, name, r.Raw())
	return true
}

// bag reads the property bag of an object. Entries that are there already are misfits, which stay.
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
		if _, found := (*b)[name]; found && r.exact {
			return false
		} else if found && r.Misfits != nil && r.Misfits.isOwn(name) {
			continue
		}
		if string(value) == jsontext.Null {
			value = nil
		}
		(*b)[name] = slices.Clone(value)
	}
	return true
}

// gather puts a member that the type lacks into the property bag of its object, if the bag has no
// such entry.
func (r *Reader) gather(s *shape.Shape, p unsafe.Pointer, name []byte) bool {
	value := r.Raw()
	if !s.HasBag || string(value) == jsontext.Null {
		return false
	}
	b, key := s.BagAt(p), bag.MemberKey(string(name))
	if _, found := (*b)[key]; found {
		return false
	}
	bag.Put(b, key, slices.Clone(value))
	return true
}

// embedded reads a member that a struct has which is embedded by a pointer; it steps over one that
// no struct has.
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

// additional reads a member that an open object's type does not name.
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

// entry reads a value into a map, which it makes where there is none. Where reading is exact, a
// second value of one name is refused.
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

// manyEntries is how many entries a map has before it is made for as many as it gets.
const manyEntries = 64

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

// key makes a key of a map.
func entryKey(s *shape.Shape, name []byte) reflect.Value {
	key := reflect.New(s.Type.Key()).Elem()
	key.SetString(string(name))
	return key
}
