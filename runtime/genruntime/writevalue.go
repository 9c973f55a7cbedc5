package genruntime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// valueWriter writes Go values as JSON by their shapes, in one pass, as encoding/json writes them without escapes for HTML.
// Misfits of a version come back to their places on the way: those in the property bags of the values, and those that
// nodes hold.
type valueWriter struct {
	out []byte
	// version is the label whose misfits come back; empty for none.
	version string
	watch   *watch.Watch
	// limit is how long JSON may become before another object in it begins; 0 for no limit.
	limit int
}

// value writes the value of shape s at p. Node holds the misfits of objects in it, items what was taken from it if it is
// a list or a map; both may be nil.
func (w *valueWriter) value(s *shape, p unsafe.Pointer, node *misfitNode, items runtime.JSON) error {
	for s.kind == pointerKind && !s.foreign {
		if p = *(*unsafe.Pointer)(p); p == nil {
			w.out = append(w.out, jsontext.Null...)
			return nil
		}
		s = s.elem
	}
	if s.foreign || s.kind == opaqueKind {
		return w.opaque(s, p)
	}
	switch s.kind {
	case textKind:
		w.text(*(*string)(p))
	case integerKind:
		w.out = strconv.AppendInt(w.out, *(*int64)(p), 10)
	case numberKind:
		return w.number(*(*float64)(p))
	case truthKind:
		w.out = strconv.AppendBool(w.out, *(*bool)(p))
	case freeKind:
		return w.free(*(*runtime.JSON)(p))
	case objectKind:
		return w.object(s, p, node)
	case listKind:
		return w.list(s, p, node, items)
	default:
		return w.dict(s, p, node, items)
	}
	return nil
}

func (w *valueWriter) opaque(s *shape, p unsafe.Pointer) error {
	out, err := jsontext.Append(w.out, reflect.NewAt(s.of, p).Interface())
	if err == nil {
		w.out = out
	}
	return err
}

func (w *valueWriter) text(text string) {
	if jsontext.IsPlain(text) {
		w.out = append(append(append(jsontext.RoomFor(w.out, len(text)), '"'), text...), '"')
		return
	}
	w.out, _ = jsontext.Append(w.out, text) // texts have JSON
}

var errNumber = errors.New("a number that JSON does not have")

var errLong = errors.New("longer than the limit")

// number writes a number as encoding/json does: with an exponent only where it is very large or very small.
func (w *valueWriter) number(f float64) error {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return errNumber
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	w.out = strconv.AppendFloat(w.out, f, format, -1, 64)
	if n := len(w.out); format == 'e' && n >= 4 && string(w.out[n-4:n-1]) == "e-0" {
		w.out[n-2] = w.out[n-1]
		w.out = w.out[:n-1]
	}
	return nil
}

// free writes free JSON as it is, but for white space.
func (w *valueWriter) free(value runtime.JSON) error {
	if len(value) == 0 {
		w.out = append(w.out, jsontext.Null...)
		return nil
	}
	c := jsontext.Cursor{Data: value}
	if !c.Skip(jsontext.MaxDepth) || c.Peek() != 0 || c.At != len(value) {
		_, err := jsontext.Marshal(json.RawMessage(value)) // it says what is wrong
		return err
	}
	w.out = jsontext.RoomFor(w.out, len(value))
	if !c.Spaced {
		w.out = append(w.out, value...)
		return nil
	}
	compact := bytes.NewBuffer(w.out)
	err := json.Compact(compact, value)
	w.out = compact.Bytes()
	return err
}

// begin separates a member or an element from the one before.
func (w *valueWriter) begin() {
	if last := w.out[len(w.out)-1]; last != '{' && last != '[' {
		w.out = append(w.out, ',')
	}
}

func (w *valueWriter) name(name string) {
	w.begin()
	w.text(name)
	w.out = append(w.out, ':')
}

func (w *valueWriter) object(s *shape, p unsafe.Pointer, node *misfitNode) error {
	if !w.watch.OK() {
		return w.watch.Err
	}
	if w.limit > 0 && len(w.out) > w.limit {
		return errLong
	}
	start := len(w.out)
	back := w.comingBack(s, p, node)
	w.out = append(w.out, '{')
	if err := w.fields(s, p, node, back); err != nil {
		return err
	}
	if s.more != nil {
		if err := w.additional(s, unsafe.Add(p, s.more.offset), node, back); err != nil {
			return err
		}
	}
	for _, e := range s.embedded {
		if at := *(*unsafe.Pointer)(unsafe.Add(p, e.offset)); at != nil {
			if err := w.fields(e.shape, at, node, back); err != nil {
				return err
			}
		}
	}
	if whole := back.whole(); whole != nil {
		if len(w.out) == start+1 {
			w.out = append(w.out[:start], whole.value...)
			return nil
		}
		back.stays = s.hasOnlyOriginal(p, w.out[start:])
	}
	if err := w.bag(s, p, back); err != nil {
		return err
	}
	back.members(w)
	w.out = append(w.out, '}')
	return nil
}

// hasOnlyOriginal reports whether nothing has been written of a spec but its original version, which no client writes.
func (s *shape) hasOnlyOriginal(p unsafe.Pointer, written []byte) bool {
	f := s.member(originalVersion)
	if f == nil || f.shape.kind != textKind {
		return false
	}
	only := jsontext.AppendText(append([]byte{'{'}, f.quoted...), *(*string)(unsafe.Add(p, f.offset)))
	return bytes.Equal(only, written)
}

// fields writes the members that a type names, in its order.
func (w *valueWriter) fields(s *shape, p unsafe.Pointer, node *misfitNode, back *comingBack) error {
	for _, i := range s.inOrder {
		f := &s.fields[i]
		at := unsafe.Add(p, f.offset)
		if f.isLeftOut(at) || back.replaces(f, at) {
			back.member(w, f.name)
			continue
		}
		w.begin()
		w.out = append(jsontext.RoomFor(w.out, len(f.quoted)), f.quoted...)
		if err := w.value(f.shape, at, node.member(bag.StoredName(f.name)), back.items(f.name)); err != nil {
			return err
		}
		back.live(f.name)
	}
	return nil
}

// isLeftOut reports whether a field with omitzero or omitempty is left out.
func (f *field) isLeftOut(p unsafe.Pointer) bool {
	if f.always {
		return false
	}
	if !f.shape.foreign {
		switch f.shape.kind {
		case pointerKind:
			return *(*unsafe.Pointer)(p) == nil
		case listKind, freeKind:
			return (*list)(p).data == nil || f.empties && (*list)(p).length == 0
		case dictKind:
			return *(*unsafe.Pointer)(p) == nil || f.empties && f.shape.dict(p).Len() == 0
		case textKind:
			return *(*string)(p) == ""
		}
	}
	v := reflect.NewAt(f.shape.of, p)
	return f.empties && isEmpty(v.Elem()) || f.zeroes && isZero(v)
}

// isZero is what omitzero asks. V is a pointer to the value.
func isZero(v reflect.Value) bool {
	if z, ok := v.Interface().(interface{ IsZero() bool }); ok {
		e := v.Elem()
		return (e.Kind() == reflect.Pointer || e.Kind() == reflect.Interface) && e.IsNil() || z.IsZero()
	}
	return v.Elem().IsZero()
}

// isEmpty is what omitempty asks.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}

// bag writes the property bag of an object, without the misfits that come back.
func (w *valueWriter) bag(s *shape, p unsafe.Pointer, back *comingBack) error {
	if !s.hasBag || *s.bagAt(p) == nil || back.takesAll(*s.bagAt(p)) {
		return nil
	}
	w.begin()
	back.live(bag.Name)
	w.out = append(append(w.out, bag.QuotedName...), ':', '{')
	for _, key := range bag.SortedKeys(*s.bagAt(p)) {
		if back.takes(w.version, key, (*s.bagAt(p))[key]) {
			continue
		}
		w.name(key)
		if err := w.free((*s.bagAt(p))[key]); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

// additional writes the members of an open object that its type does not name, sorted, but for those that have been written.
func (w *valueWriter) additional(s *shape, p unsafe.Pointer, node *misfitNode, back *comingBack) error {
	of := s.more.shape
	return w.entries(of, p, func(key string, value unsafe.Pointer) error {
		name := key
		if s.hasBag {
			name = bag.StoredName(key)
		}
		if f := s.member(name); f != nil && !f.isLeftOut(unsafe.Add(p, f.offset-s.more.offset)) {
			return nil
		}
		w.name(name)
		back.live(name)
		if err := w.value(of.elem, value, node.additional(key), back.items(name)); err != nil {
			return fmt.Errorf("member %q: %w", key, err)
		}
		return nil
	})
}

// entries visits the entries of a map in the order of their keys.
func (w *valueWriter) entries(s *shape, p unsafe.Pointer, visit func(key string, value unsafe.Pointer) error) error {
	if *(*unsafe.Pointer)(p) == nil {
		return nil
	}
	if entries, ok := s.dict(p).Interface().(map[string]string); ok {
		for _, key := range sortedNames(entries) {
			value := entries[key]
			if err := visit(key, unsafe.Pointer(&value)); err != nil {
				return err
			}
		}
		return nil
	}
	keys, values := s.sortedEntries(p)
	for _, k := range keys {
		if err := visit(k.name, values.Index(k.at).Addr().UnsafePointer()); err != nil {
			return err
		}
	}
	return nil
}

// keyAt is a key, and where its value is.
type keyAt struct {
	name string
	at   int
}

// sortedEntries returns the keys of the map at p, sorted, and copies of its values.
func (s *shape) sortedEntries(p unsafe.Pointer) ([]keyAt, reflect.Value) {
	entries := s.dict(p)
	keys, values := make([]keyAt, entries.Len()), reflect.MakeSlice(reflect.SliceOf(s.of.Elem()), entries.Len(), entries.Len())
	iter := entries.MapRange()
	for i := range keys {
		iter.Next()
		keys[i] = keyAt{iter.Key().String(), i}
		values.Index(i).SetIterValue(iter)
	}
	slices.SortFunc(keys, func(a, b keyAt) int { return strings.Compare(a.name, b.name) })
	return keys, values
}

func sortedNames[V any](entries map[string]V) []string {
	out := make([]string, 0, len(entries))
	for key := range entries {
		out = append(out, key)
	}
	slices.SortFunc(out, strings.Compare)
	return out
}

func (w *valueWriter) list(s *shape, p unsafe.Pointer, node *misfitNode, items runtime.JSON) error {
	l := (*list)(p)
	if l.data == nil {
		w.out = append(w.out, jsontext.Null...)
		return nil
	}
	back := backToList(s, items)
	w.out = append(w.out, '[')
	for n := range l.length {
		back.runs(w, n)
		w.begin()
		if err := w.value(s.elem, s.element(p, n), node.element(n), back.inner(n)); err != nil {
			return err
		}
	}
	back.rest(w)
	w.out = append(w.out, ']')
	return nil
}

func (w *valueWriter) dict(s *shape, p unsafe.Pointer, node *misfitNode, items runtime.JSON) error {
	if *(*unsafe.Pointer)(p) == nil {
		w.out = append(w.out, jsontext.Null...)
		return nil
	}
	back, misfits := backToDict(s, items), misfitsOf(node)
	w.out = append(w.out, '{')
	err := w.entries(s, p, func(key string, value unsafe.Pointer) error {
		w.name(key)
		misfits.live(key)
		items := back.inner(key)
		if items == nil {
			items = misfits.items(key)
		}
		return w.value(s.elem, value, node.entry(key), items)
	})
	if err != nil {
		return err
	}
	back.rest(w)
	misfits.members(w)
	w.out = append(w.out, '}')
	return nil
}
