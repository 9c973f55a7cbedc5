package genruntime

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
	"github.com/stratakube/strata/runtime/internal/watch"
)

// valueReader reads valid JSON into Go values by their shapes, in one pass: its time is linear in the length of the
// JSON, however deep objects are nested and whatever they hold. It writes only to memory that is zero.
//
// Without misfits and without exact it reads what the JSON decoder of Kubernetes reads.
type valueReader struct {
	jsontext.Cursor
	// misfits collects the values that do not fit their types. Where it is nil, such a value is an error.
	misfits *misfits
	// exact refuses whatever would not be written again as it was read. Members that a type lacks go to the property
	// bag of their object, or are refused where it has none.
	exact bool
	// lengths are those of all lists; they are counted when the first list with several elements is read.
	lengths []listLength
	counted bool
	// ahead counts the bytes that were looked at ahead.
	ahead int
	// err describes the value that did not fit.
	err error
	// owned reports whether the nearest object around the value has a property bag for misfits.
	owned bool
	// stop ends reading early when it returns an error. It is asked once in a while.
	watch *watch.Watch
}

// value reads a value of shape s into p. It reports whether the value fits.
func (r *valueReader) value(s *shape, p unsafe.Pointer) bool {
	if s.foreign || s.kind == opaqueKind {
		return r.opaque(s, p)
	}
	b := r.Peek()
	if b == 'n' {
		r.At += len(jsontext.Null)
		return true
	}
	switch s.kind {
	case pointerKind:
		return r.pointer(s, p)
	case textKind:
		if b != '"' {
			return r.mismatch(s)
		}
		*(*string)(p) = string(jsontext.Unquoted(r.Raw()))
		return true
	case integerKind, numberKind:
		return (b == '-' || '0' <= b && b <= '9') && r.number(s, p) || r.mismatch(s)
	case truthKind:
		if b != 't' && b != 'f' {
			return r.mismatch(s)
		}
		*(*bool)(p) = string(r.Raw()) == "true"
		return true
	case freeKind:
		*(*runtime.JSON)(p) = slices.Clone(r.Raw())
		return true
	case objectKind:
		return b == '{' && r.object(s, p) || r.mismatch(s)
	case listKind:
		return b == '[' && r.list(s, p) || r.mismatch(s)
	default:
		return b == '{' && r.dict(s, p) || r.mismatch(s)
	}
}

// mismatch notes what does not fit; it is always false.
func (r *valueReader) mismatch(s *shape) bool {
	if r.err == nil && r.misfits == nil && !r.exact {
		r.err = &json.UnmarshalTypeError{Value: kindName(r.Peek()), Type: s.of, Offset: int64(r.At)}
	}
	return false
}

// within names the member of a value that did not fit in the error, up to a length; it is always false.
func (r *valueReader) within(name string) bool {
	wrong, ok := r.err.(*json.UnmarshalTypeError)
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

func (r *valueReader) pointer(s *shape, p unsafe.Pointer) bool {
	var to unsafe.Pointer
	switch s.elem.kind {
	case textKind:
		to = unsafe.Pointer(new(string))
	case integerKind:
		to = unsafe.Pointer(new(int64))
	case truthKind:
		to = unsafe.Pointer(new(bool))
	default:
		to = reflect.New(s.elem.of).UnsafePointer()
	}
	if !r.value(s.elem, to) {
		return false
	}
	*(*unsafe.Pointer)(p) = to
	return true
}

func (r *valueReader) number(s *shape, p unsafe.Pointer) bool {
	start := r.At
	literal := jsontext.Borrow(r.Raw())
	var err error
	if s.kind == integerKind {
		*(*int64)(p), err = strconv.ParseInt(literal, 10, 64)
	} else {
		*(*float64)(p), err = strconv.ParseFloat(literal, 64)
	}
	if err != nil || r.exact && s.kind == numberKind && !isExact(*(*float64)(p), literal) {
		r.At = start
		return false
	}
	return true
}

// isExact reports whether a float64 says what the literal says that it was read from.
func isExact(f float64, literal string) bool {
	if !hasLongNumber(runtime.JSON(literal)) {
		return true
	}
	text, err := jsontext.Marshal(f)
	return err == nil && jsontext.IsSameNumber(string(text), literal)
}

// opaque reads a value that only the decoder knows how to read.
func (r *valueReader) opaque(s *shape, p unsafe.Pointer) bool {
	r.Peek()
	start := r.At
	value, into := r.Raw(), reflect.NewAt(s.of, p).Interface()
	if r.exact {
		return decodeStrictly(value, into) && isFaithful(value, into)
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(value, into); err != nil {
		if r.At = start; r.err == nil {
			r.err = err
		}
		return false
	}
	return true
}

func (r *valueReader) object(s *shape, p unsafe.Pointer) bool {
	outer := r.owned
	r.owned = r.misfits != nil && r.misfits.owns(s)
	r.misfits.enter(objectFrame, "", 0, 0)
	m, ok := memberReader{of: s}, true
	for r.Take('{'); ok && r.More('}'); {
		ok = r.member(s, p, &m, r.Name()) && r.watch.OK()
	}
	r.misfits.leave()
	r.owned = outer
	return ok
}

func (r *valueReader) member(s *shape, p unsafe.Pointer, m *memberReader, name []byte) bool {
	if s.hasBag && string(name) == bag.Name {
		again := m.bag
		m.bag = true
		return !(again && r.exact) && r.bag(s, p)
	}
	f, again := m.find(name)
	switch {
	case f != nil:
		return !(again && r.exact) && r.field(s, p, f, again)
	case s.more != nil:
		return r.additional(s, p, name)
	case len(s.embedded) > 0:
		return r.embedded(s, p, name)
	case r.exact:
		return r.gather(s, p, name)
	default:
		r.Raw()
		return true
	}
}

// field reads a member that the type names. A null is an absent member.
func (r *valueReader) field(s *shape, p unsafe.Pointer, f *field, again bool) bool {
	at := unsafe.Add(p, f.offset)
	if again {
		reflect.NewAt(f.shape.of, at).Elem().SetZero()
	}
	b := r.Peek()
	if b == 'n' && (r.misfits != nil || r.exact) {
		r.At += len(jsontext.Null)
		return true
	}
	if r.misfits == nil {
		return r.value(f.shape, at) || r.within(f.name)
	}
	if f.shape.isScalar() && r.value(f.shape, at) {
		return true
	}
	start, mark := r.At, r.misfits.mark()
	r.misfits.enter(memberFrame, f.name, 0, 0)
	if r.value(f.shape, at) {
		r.misfits.leave()
		r.misfits.listed(s, p, mark, f.name)
		return true
	}
	r.misfits.reset(mark)
	reflect.NewAt(f.shape.of, at).Elem().SetZero()
	r.At = start
	return r.keep(s, p, f.name)
}

// keep gives the member at hand, which does not fit, to the misfits of its object. It refuses where the object has no bag.
func (r *valueReader) keep(s *shape, p unsafe.Pointer, name string) bool {
	if !r.owned || !r.misfits.hasRoom() {
		return false
	}
	r.misfits.keep(s, p, name, r.Raw())
	return true
}

// bag reads the property bag of an object. Entries that are there already are misfits, which stay.
func (r *valueReader) bag(s *shape, p unsafe.Pointer) bool {
	b := s.bagAt(p)
	switch r.Peek() {
	case 'n':
		r.At += len(jsontext.Null)
		return true
	case '{':
	default:
		if r.misfits == nil {
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
		} else if found && r.misfits != nil && r.misfits.isOwn(name) {
			continue
		}
		if string(value) == jsontext.Null {
			value = nil
		}
		(*b)[name] = slices.Clone(value)
	}
	return true
}

// gather puts a member that the type lacks into the property bag of its object, if the bag has no such entry.
func (r *valueReader) gather(s *shape, p unsafe.Pointer, name []byte) bool {
	value := r.Raw()
	if !s.hasBag || string(value) == jsontext.Null {
		return false
	}
	b, key := s.bagAt(p), bag.MemberKey(string(name))
	if _, found := (*b)[key]; found {
		return false
	}
	bag.Put(b, key, slices.Clone(value))
	return true
}

// embedded reads a member that a struct has which is embedded by a pointer; it steps over one that no struct has.
func (r *valueReader) embedded(s *shape, p unsafe.Pointer, name []byte) bool {
	for _, e := range s.embedded {
		f := e.shape.member(string(name))
		if f == nil {
			continue
		}
		at := (*unsafe.Pointer)(unsafe.Add(p, e.offset))
		if *at == nil {
			*at = reflect.New(e.shape.of).UnsafePointer()
		}
		return r.field(s, *at, f, true)
	}
	r.Raw()
	return true
}

// additional reads a member that an open object's type does not name.
func (r *valueReader) additional(s *shape, p unsafe.Pointer, name []byte) bool {
	of := s.more.shape
	if r.Peek() == 'n' && of.elem.kind != freeKind {
		r.At += len(jsontext.Null)
		return true
	}
	start, mark := r.At, r.misfits.mark()
	r.misfits.enter(moreFrame, jsontext.Borrow(name), 0, 0)
	entries, key := of.dict(unsafe.Add(p, s.more.offset)), name
	if s.hasBag && bag.IsLike(name, bag.Name) {
		key = []byte(bag.APIName(string(name)))
	}
	if ok, dup := r.entry(of, entries, key); dup {
		return false
	} else if ok {
		r.misfits.leave()
		r.misfits.listed(s, p, mark, jsontext.Borrow(name))
		return true
	}
	if r.misfits == nil {
		return r.within(jsontext.Borrow(name))
	}
	r.misfits.reset(mark)
	r.At = start
	return r.keep(s, p, jsontext.Borrow(name))
}

// entry reads a value into a map, which it makes where there is none. Where reading is exact, a second value of one name is
// refused.
func (r *valueReader) entry(s *shape, entries reflect.Value, name []byte) (ok, dup bool) {
	if r.exact && entries.Len() > 0 && entries.MapIndex(s.key(name)).IsValid() {
		return false, true
	}
	value := s.entryOf()
	defer s.give(value)
	if !r.value(s.elem, value.address()) {
		return false, false
	}
	if entries.IsNil() {
		entries.Set(reflect.MakeMap(s.of))
	} else if entries.Len() == manyEntries {
		r.widen(s, entries)
	}
	switch m := entries.Addr().Interface().(type) {
	case *map[string]string:
		(*m)[string(name)] = value.value.String()
	case *map[string]runtime.JSON:
		(*m)[string(name)] = *(*runtime.JSON)(value.address())
	default:
		entries.SetMapIndex(s.key(name), value.value)
	}
	return true, false
}

// manyEntries is how many entries a map has before it is made for as many as it gets.
const manyEntries = 64

// widen makes room in a map for the members that are left, so that it need not grow again and again. It looks ahead no
// further than a few times the length of the JSON, over all maps.
func (r *valueReader) widen(s *shape, entries reflect.Value) {
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
	wide := reflect.MakeMapWithSize(s.of, manyEntries+n)
	for iter := entries.MapRange(); iter.Next(); {
		wide.SetMapIndex(iter.Key(), iter.Value())
	}
	entries.Set(wide)
}

// key makes a key of a map.
func (s *shape) key(name []byte) reflect.Value {
	key := reflect.New(s.of.Key()).Elem()
	key.SetString(string(name))
	return key
}
