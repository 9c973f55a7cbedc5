package hidden

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// goPrinter makes fingerprints of Go values. It can store those of the elements of lists, and
// their leaves.
type goPrinter struct {
	// remembers enables storing the fingerprints of the elements of lists that may contain
	// property bags. collects enables storing their leaves, too.
	remembers, collects bool
	// within counts the lists around the current value whose leaves are stored.
	within int
	leaves []uint32
	listMemory[goList]
	// ignored is a field that does not count; nil for none.
	ignored *shape.Field
	// bags counts the non-empty property bags so far.
	bags int
	// until ends the work. The results must then not be used.
	until *watch.Watch
}

// forget removes all data of the object, and keeps the buffers.
func (w *goPrinter) forget() {
	w.listMemory.forget()
	*w = goPrinter{leaves: w.leaves[:0], listMemory: w.listMemory}
}

// isLong reports whether a buffer is too long to be reused.
func (w *goPrinter) isLong() bool { return w.listMemory.isLong() || cap(w.leaves) > maxKept }

// listAt identifies the list of shape s at p.
func listAt(s *shape.Shape, p unsafe.Pointer) goList {
	return goList{(*shape.SliceHeader)(p).Data, s.Length(p)}
}

// remembered returns the index of a list that is not empty. It makes the fingerprints of its
// elements if it must.
func (w *goPrinter) remembered(s *shape.Shape, p unsafe.Pointer) int {
	if i := w.find(listAt(s, p)); i >= 0 {
		return i
	}
	w.remembers = true
	first := len(w.lists)
	w.list(s, p, 0)
	return first
}

// value returns the fingerprint of the value of shape s at p. Name is the fingerprint of the name
// of its nearest member.
func (w *goPrinter) value(s *shape.Shape, p unsafe.Pointer, name uint64) uint64 {
	switch s.Kind {
	case shape.Pointer:
		if p = *(*unsafe.Pointer)(p); p == nil {
			return 0
		}
		return w.value(s.Elem, p, name)
	case shape.Text:
		return w.leaf(name, fingerprint.OfString(*(*string)(p)))
	case shape.Integer:
		return w.leaf(name, fingerprint.OfInteger(*(*int64)(p)))
	case shape.Bool:
		return w.leaf(name, fingerprint.OfBool(*(*bool)(p)))
	case shape.Object:
		return w.object(s, p, nil)
	case shape.List:
		return w.list(s, p, name)
	case shape.Map:
		return w.dict(s, p)
	case shape.Number:
		return w.leaf(name, fingerprint.OfFloat(*(*float64)(p)))
	case shape.JSON:
		return w.leaf(name, fingerprint.OfJSON(*(*runtime.JSON)(p)))
	default:
		return w.leaf(name, printOpaque(s, p))
	}
}

func printOpaque(s *shape.Shape, p unsafe.Pointer) uint64 {
	data, err := jsontext.Marshal(s.MapAt(p).Interface())
	if err != nil {
		return 0
	}
	return fingerprint.OfJSON(data)
}

func (w *goPrinter) leaf(name, value uint64) uint64 {
	if w.within > 0 && value != 0 {
		w.leaves = append(w.leaves, uint32(fingerprint.Join(name, value)>>32))
	}
	return value
}

// object returns the fingerprint of an object, without the member at the path without.
func (w *goPrinter) object(s *shape.Shape, p unsafe.Pointer, without []string) uint64 {
	var sum fingerprint.Members
	if s.HasBag && len(*s.BagAt(p)) > 0 {
		w.bags++
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		if f == w.ignored {
			continue
		}
		if len(without) > 0 && without[0] == f.Name {
			if inner, q := f.Shape.Reach(unsafe.Add(p, f.Offset)); len(without) > 1 && q != nil && inner.Kind == shape.Object {
				sum.Add(f.Print, w.object(inner, q, without[1:]))
			}
			continue
		}
		if q := unsafe.Add(p, f.Offset); f.Default == 0 {
			sum.Add(f.Print, w.value(f.Shape, q, f.Print))
		} else {
			sum.Add(f.Print, w.withDefault(f, q))
		}
	}
	if s.Additional != nil {
		w.entries(&sum, s.Additional.Shape, unsafe.Add(p, s.Additional.Offset))
	}
	return sum.Print()
}

// withDefault returns the fingerprint of a member that has a default.
func (w *goPrinter) withDefault(f *shape.Field, p unsafe.Pointer) uint64 {
	mark, list := len(w.leaves), len(w.lists)
	switch value := w.value(f.Shape, p, f.Print); {
	case value == f.Default:
		w.leaves = w.moveDefault(list, w.leaves, mark)
		return 0
	case value == 0 && !f.Shape.IsAbsent(p):
		return w.leaf(f.Print, fingerprint.Mix(fingerprint.NothingSeed))
	default:
		return value
	}
}

func (w *goPrinter) list(s *shape.Shape, p unsafe.Pointer, name uint64) uint64 {
	length := s.Length(p)
	if w.remembers && s.CarriesBag && length > 0 {
		return w.remember(s, p, length, name)
	}
	var sum fingerprint.Elements
	for i := range length {
		if !w.until.OK() {
			break
		}
		sum.Add(w.value(s.Elem, s.Element(p, i), name))
	}
	return sum.Print()
}

// remember is list, but also stores the fingerprints of the elements.
func (w *goPrinter) remember(s *shape.Shape, p unsafe.Pointer, length int, name uint64) uint64 {
	var sum fingerprint.Elements
	if w.collects {
		w.within++
		defer func() { w.within-- }()
	}
	first := len(w.elements)
	list, bags := len(w.lists), w.bags
	w.record(listPrints[goList]{key: listAt(s, p), first: uint32(first), length: uint32(length)})
	w.elements = slices.Grow(w.elements, length)[:first+length]
	for i := range length {
		if !w.until.OK() {
			break
		}
		start := len(w.leaves)
		print := w.value(s.Elem, s.Element(p, i), name)
		w.elements[first+i] = elementPrint{print, uint32(start), uint32(len(w.leaves))}
		sum.Add(print)
	}
	w.lists[list].hides = w.bags > bags
	return sum.Print()
}

func (w *goPrinter) dict(s *shape.Shape, p unsafe.Pointer) uint64 {
	var sum fingerprint.Members
	w.entries(&sum, s, p)
	return sum.Print()
}

func (w *goPrinter) entries(sum *fingerprint.Members, s *shape.Shape, p unsafe.Pointer) {
	if w.within > 0 {
		w.sortedEntries(sum, s, p)
		return
	}
	if s.Elem.Kind == shape.Text {
		for key, text := range *(*map[string]string)(p) {
			if !w.until.OK() {
				break
			}
			name := fingerprint.OfText(fingerprint.NameSeed, key)
			sum.Add(name, w.leaf(name, fingerprint.OfString(text)))
		}
		return
	}
	if *(*unsafe.Pointer)(p) == nil {
		return
	}
	e := s.Borrow(p)
	defer s.Return(e)
	for e.Next() && w.until.OK() {
		name := fingerprint.OfText(fingerprint.NameSeed, e.Name())
		sum.Add(name, w.value(s.Elem, e.Address(), name))
	}
}

// sortedEntries is entries in the order of the keys, because the order of leaves is stored.
func (w *goPrinter) sortedEntries(sum *fingerprint.Members, s *shape.Shape, p unsafe.Pointer) {
	if *(*unsafe.Pointer)(p) == nil {
		return
	}
	entries, value := s.MapAt(p), reflect.New(s.Type.Elem())
	for _, key := range s.SortedKeys(p) {
		if !w.until.OK() {
			break
		}
		value.Elem().Set(entries.MapIndex(key))
		name := fingerprint.OfText(fingerprint.NameSeed, key.String())
		sum.Add(name, w.value(s.Elem, value.UnsafePointer(), name))
	}
}
