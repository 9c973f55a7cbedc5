package codec

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// scratches has buffers for output without room of its own.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

// maxEnd is the room that writing a value leaves behind it.
const maxEnd = 64

// maxScratch is the largest size of a buffer that is reused.
const maxScratch = 64 << 10

// Root writes a root. If Out has no free capacity, Root writes to a scratch buffer first, so that
// a short text takes no more memory than its length.
func (w *Writer) Root(s *shape.Shape, p unsafe.Pointer, nodes *MisfitNode) ([]byte, error) {
	if cap(w.Out) > len(w.Out) {
		err := w.Object(s, p, nodes)
		return w.Out, err
	}
	dst, scratch := w.Out, scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	w.Out = (*scratch)[:0]
	err := w.Object(s, p, nodes)
	if cap(w.Out) > maxScratch && len(dst) == 0 {
		return w.Out, err
	}
	if cap(w.Out) <= maxScratch {
		*scratch = w.Out
	}
	return append(dst, w.Out...), err
}

// Value writes the value of shape s at p. Node has the misfits of objects in it. Items has the
// elements removed from it, if it is a list or a map. Both may be nil.
func (w *Writer) Value(s *shape.Shape, p unsafe.Pointer, node *MisfitNode, items runtime.JSON) error {
	if !w.Watch.OK() {
		return w.Watch.Err
	}
	for s.Kind == shape.Pointer && !s.Foreign {
		if p = *(*unsafe.Pointer)(p); p == nil {
			w.Out = append(w.Out, jsontext.Null...)
			return nil
		}
		s = s.Elem
	}
	if s.Foreign || s.Kind == shape.Opaque {
		return w.opaque(s, p)
	}
	switch s.Kind {
	case shape.Text:
		w.text(*(*string)(p))
	case shape.Integer:
		w.Out = strconv.AppendInt(w.Out, *(*int64)(p), 10)
	case shape.Number:
		return w.number(*(*float64)(p))
	case shape.Bool:
		w.Out = strconv.AppendBool(w.Out, *(*bool)(p))
	case shape.JSON:
		return w.free(*(*runtime.JSON)(p))
	case shape.Object:
		return w.Object(s, p, node)
	case shape.List:
		return w.list(s, p, node, items)
	default:
		return w.dict(s, p, node, items)
	}
	return nil
}

var errLong = errors.New("longer than the limit")

// Object writes the object of shape s at p. It restores the misfits of its property bag and of
// node, which may be nil.
func (w *Writer) Object(s *shape.Shape, p unsafe.Pointer, node *MisfitNode) error {
	if w.Limit > 0 && len(w.Out) > w.Limit {
		return errLong
	}
	if w.Sorted && len(s.Embedded) == 0 {
		return w.sorted(s, p)
	}
	start := len(w.Out)
	back := w.comingBack(s, p, node)
	w.Out = append(w.Out, '{')
	if err := w.fields(s, p, node, back); err != nil {
		return err
	}
	if s.Additional != nil {
		if err := w.additional(s, unsafe.Add(p, s.Additional.Offset), node, back); err != nil {
			return err
		}
	}
	for _, e := range s.Embedded {
		if at := *(*unsafe.Pointer)(unsafe.Add(p, e.Offset)); at != nil {
			if err := w.fields(e.Shape, at, node, back); err != nil {
				return err
			}
		}
	}
	if whole := back.whole(); whole != nil {
		if len(w.Out) == start+1 {
			w.Out = append(w.Out[:start], whole.Value...)
			return nil
		}
		back.stays = hasOnlyOriginal(s, p, w.Out[start:])
	}
	if err := w.bag(s, p, back); err != nil {
		return err
	}
	back.members(w)
	w.Out = append(w.Out, '}')
	return nil
}

// unnamed is a member that a type does not name: an additional member, or the property bag, which
// has no shape.
type unnamed struct {
	name  string
	shape *shape.Shape
	at    unsafe.Pointer
}

// sorted writes the object of shape s at p with its members sorted by name.
func (w *Writer) sorted(s *shape.Shape, p unsafe.Pointer) error {
	w.Out = append(w.Out, '{')
	others := unnamedOf(s, p)
	for i := range s.Fields {
		f := &s.Fields[i]
		at := unsafe.Add(p, f.Offset)
		if isLeftOut(f, at) {
			continue
		}
		for len(others) > 0 && others[0].name < f.Name {
			if err := w.unnamed(s, p, others[0]); err != nil {
				return err
			}
			others = others[1:]
		}
		w.begin()
		w.Out = append(jsontext.RoomFor(w.Out, len(f.Quoted)), f.Quoted...)
		if err := w.Value(f.Shape, at, nil, nil); err != nil {
			return err
		}
	}
	for _, o := range others {
		if err := w.unnamed(s, p, o); err != nil {
			return err
		}
	}
	w.Out = append(w.Out, '}')
	return nil
}

// unnamedOf returns the members of an object that its type does not name, sorted.
func unnamedOf(s *shape.Shape, p unsafe.Pointer) (all []unnamed) {
	if s.HasBag && *s.BagAt(p) != nil {
		all = append(all, unnamed{name: bag.Name})
	}
	if s.Additional == nil || *(*unsafe.Pointer)(unsafe.Add(p, s.Additional.Offset)) == nil {
		return all
	}
	of := s.Additional.Shape
	keys, values := sortedEntries(of, unsafe.Add(p, s.Additional.Offset))
	for _, key := range keys {
		name := key.name
		if s.HasBag {
			name = bag.StoredName(name)
		}
		if f := s.Member(name); f == nil || isLeftOut(f, unsafe.Add(p, f.Offset)) {
			all = append(all, unnamed{name, of.Elem, values.Index(key.at).Addr().UnsafePointer()})
		}
	}
	slices.SortStableFunc(all, func(a, b unnamed) int { return strings.Compare(a.name, b.name) })
	return all
}

func (w *Writer) unnamed(s *shape.Shape, p unsafe.Pointer, o unnamed) error {
	if o.shape == nil {
		return w.bag(s, p, nil)
	}
	w.name(o.name)
	return w.Value(o.shape, o.at, nil, nil)
}

// hasOnlyOriginal reports whether the written members of a spec are only its original version,
// which no client writes.
func hasOnlyOriginal(s *shape.Shape, p unsafe.Pointer, written []byte) bool {
	f := s.Member(label.OriginalVersion)
	if f == nil || f.Shape.Kind != shape.Text {
		return false
	}
	only := jsontext.AppendText(append([]byte{'{'}, f.Quoted...), *(*string)(unsafe.Add(p, f.Offset)))
	return bytes.Equal(only, written)
}

// fields writes the members that a type names, in the order of its fields.
func (w *Writer) fields(s *shape.Shape, p unsafe.Pointer, node *MisfitNode, back *comingBack) error {
	for _, i := range s.InOrder {
		f := &s.Fields[i]
		at := unsafe.Add(p, f.Offset)
		if isLeftOut(f, at) || back.replaces(f, at) {
			back.member(w, f.Name)
			continue
		}
		w.begin()
		w.Out = append(jsontext.RoomFor(w.Out, len(f.Quoted)), f.Quoted...)
		if err := w.Value(f.Shape, at, node.member(bag.StoredName(f.Name)), back.items(f.Name)); err != nil {
			return err
		}
		back.live(f.Name)
	}
	return nil
}

// isLeftOut reports whether omitzero or omitempty omits a field.
func isLeftOut(f *shape.Field, p unsafe.Pointer) bool {
	if f.Always {
		return false
	}
	if !f.Shape.Foreign {
		switch f.Shape.Kind {
		case shape.Pointer:
			return *(*unsafe.Pointer)(p) == nil
		case shape.List, shape.JSON:
			return (*shape.SliceHeader)(p).Data == nil || f.OmitEmpty && (*shape.SliceHeader)(p).Length == 0
		case shape.Map:
			return *(*unsafe.Pointer)(p) == nil || f.OmitEmpty && f.Shape.MapAt(p).Len() == 0
		case shape.Text:
			return *(*string)(p) == ""
		}
	}
	v := reflect.NewAt(f.Shape.Type, p)
	return f.OmitEmpty && isEmpty(v.Elem()) || f.OmitZero && isZero(v)
}

// isZero reports whether omitzero omits the value that v points to.
func isZero(v reflect.Value) bool {
	if z, ok := v.Interface().(interface{ IsZero() bool }); ok {
		e := v.Elem()
		return (e.Kind() == reflect.Pointer || e.Kind() == reflect.Interface) && e.IsNil() || z.IsZero()
	}
	return v.Elem().IsZero()
}

// isEmpty reports whether omitempty omits a value.
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

// bag writes the property bag of an object, without the misfits that are restored.
func (w *Writer) bag(s *shape.Shape, p unsafe.Pointer, back *comingBack) error {
	if !s.HasBag || *s.BagAt(p) == nil || back.takesAll(*s.BagAt(p)) {
		return nil
	}
	w.begin()
	back.live(bag.Name)
	w.Out = append(append(w.Out, bag.QuotedName...), ':', '{')
	for _, key := range bag.SortedKeys(*s.BagAt(p)) {
		if back.takes(w.Version, key, (*s.BagAt(p))[key]) {
			continue
		}
		w.name(key)
		if err := w.free((*s.BagAt(p))[key]); err != nil {
			return err
		}
	}
	w.Out = append(w.Out, '}')
	return nil
}

// additional writes the additional members of an open object, sorted, except for those that are
// written already.
func (w *Writer) additional(s *shape.Shape, p unsafe.Pointer, node *MisfitNode, back *comingBack) error {
	of := s.Additional.Shape
	return w.entries(of, p, func(key string, value unsafe.Pointer) error {
		name := key
		if s.HasBag {
			name = bag.StoredName(key)
		}
		if f := s.Member(name); f != nil && !isLeftOut(f, unsafe.Add(p, f.Offset-s.Additional.Offset)) {
			return nil
		}
		w.name(name)
		back.live(name)
		if err := w.Value(of.Elem, value, node.additional(key), back.items(name)); err != nil {
			return fmt.Errorf("member %q: %w", key, err)
		}
		return nil
	})
}

// entries calls visit for the entries of a map in the order of their keys.
func (w *Writer) entries(s *shape.Shape, p unsafe.Pointer, visit func(key string, value unsafe.Pointer) error) error {
	if *(*unsafe.Pointer)(p) == nil {
		return nil
	}
	if entries, ok := s.MapAt(p).Interface().(map[string]string); ok {
		for _, key := range sortedNames(entries) {
			value := entries[key]
			if err := visit(key, unsafe.Pointer(&value)); err != nil {
				return err
			}
		}
		return nil
	}
	keys, values := sortedEntries(s, p)
	for _, k := range keys {
		if err := visit(k.name, values.Index(k.at).Addr().UnsafePointer()); err != nil {
			return err
		}
	}
	return nil
}

// keyAt is a key and the index of its value.
type keyAt struct {
	name string
	at   int
}

// sortedEntries returns the keys of the map at p, sorted, and copies of its values.
func sortedEntries(s *shape.Shape, p unsafe.Pointer) ([]keyAt, reflect.Value) {
	entries := s.MapAt(p)
	keys, values := make([]keyAt, entries.Len()), reflect.MakeSlice(reflect.SliceOf(s.Type.Elem()), entries.Len(), entries.Len())
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

func (w *Writer) list(s *shape.Shape, p unsafe.Pointer, node *MisfitNode, items runtime.JSON) error {
	l := (*shape.SliceHeader)(p)
	if l.Data == nil {
		w.Out = append(w.Out, jsontext.Null...)
		return nil
	}
	back := backToList(s, items)
	const least = len(`"",`) // an element that is a string
	w.Out = append(jsontext.RoomFor(w.Out, least*l.Length+maxEnd), '[')
	for n := range l.Length {
		back.runs(w, n)
		w.begin()
		if err := w.Value(s.Elem, s.Element(p, n), node.element(n), back.inner(n)); err != nil {
			return err
		}
	}
	back.rest(w)
	w.Out = append(w.Out, ']')
	return nil
}

func (w *Writer) dict(s *shape.Shape, p unsafe.Pointer, node *MisfitNode, items runtime.JSON) error {
	if *(*unsafe.Pointer)(p) == nil {
		w.Out = append(w.Out, jsontext.Null...)
		return nil
	}
	back, misfits := backToDict(s, items), misfitsOf(node)
	w.Out = append(w.Out, '{')
	err := w.entries(s, p, func(key string, value unsafe.Pointer) error {
		w.name(key)
		misfits.live(key)
		items := back.inner(key)
		if items == nil {
			items = misfits.items(key)
		}
		return w.Value(s.Elem, value, node.entry(key), items)
	})
	if err != nil {
		return err
	}
	back.rest(w)
	misfits.members(w)
	w.Out = append(w.Out, '}')
	return nil
}
