package hidden

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// Writer writes a bag. Its methods that report whether they wrote leave no trace where they did
// not.
type Writer struct {
	Out     []byte
	Printer Printer
	numbers []uint64
	names   []string
	// lists counts the lists that the value at hand is in.
	lists int
}

// Writers are writers to use again; Done puts them back.
var Writers = sync.Pool{New: func() any { return new(Writer) }}

// Done gives the writer back, without what it knows of the object.
func (w *Writer) Done() {
	if cap(w.Out) > maxKept || cap(w.numbers) > maxKept || cap(w.Printer.elements) > maxKept || cap(w.Printer.leaves) > maxKept {
		return
	}
	w.Printer.forget()
	clear(w.names[:cap(w.names)])
	Writers.Put(w)
}

// maxKept is how long a buffer may be that is kept for the next object.
const maxKept = 1 << 16

// Member begins a member, given as JSON with its colon, behind a comma where it is not the first.
func (w *Writer) Member(name string) *Writer {
	if last := w.Out[len(w.Out)-1]; last != '{' && last != '[' {
		w.Out = append(w.Out, ',')
	}
	w.Out = append(w.Out, name...)
	return w
}

// Integer appends a number.
func (w *Writer) Integer(n int) { w.Out = strconv.AppendInt(w.Out, int64(n), 10) }

// Text appends a text as JSON.
func (w *Writer) Text(s string) { w.Out = jsontext.AppendText(w.Out, s) }

func (w *Writer) named(name string) {
	w.Out = jsontext.RoomFor(w.Out, len(name))
	w.Member("")
	w.Text(name)
	w.Out = append(w.Out, ':')
}

// Prints appends fingerprints as one text in base64.
func (w *Writer) Prints(prints ...uint64) { w.Out = appendPrints(w.Out, prints...) }

func (w *Writer) leaves(leaves []uint32) { w.Out = appendLeaves(jsontext.Separate(w.Out), leaves) }

// Part writes a member if something is hidden in it.
func (w *Writer) Part(name string, s *shape.Shape, p unsafe.Pointer) bool {
	mark := len(w.Out)
	if w.Member(name).value(s, p) {
		return true
	}
	w.Out = w.Out[:mark]
	return false
}

func (w *Writer) value(s *shape.Shape, p unsafe.Pointer) bool {
	if s == nil || p == nil {
		return false
	}
	switch s.Kind {
	case shape.Pointer:
		return w.value(s.Elem, *(*unsafe.Pointer)(p))
	case shape.Object:
		return w.object(s, p)
	case shape.Map:
		return w.dict(s, p)
	case shape.List:
		return w.hides(s, p) && w.list(s, p, nil)
	default:
		return false
	}
}

func (w *Writer) object(s *shape.Shape, p unsafe.Pointer) bool {
	wrote := false
	w.Out = append(w.Out, '{')
	if s.HasBag && len(*s.BagAt(p)) > 0 {
		wrote = w.bag(*s.BagAt(p))
	}
	mark, within := len(w.Out), false
	w.Member(`"in":{`)
	for i := range s.Carriers {
		if f := &s.Carriers[i]; f.Name != "" {
			within = w.field(f, unsafe.Add(p, f.Offset)) || within
		}
	}
	w.Out = append(w.Out, '}')
	if !within {
		w.Out = w.Out[:mark]
	}
	if s.Additional != nil && s.Additional.Shape.CarriesBag && w.dictAs(`"more":{`, s.Additional.Shape, unsafe.Add(p, s.Additional.Offset)) {
		within = true
	}
	w.Out = append(w.Out, '}')
	return wrote || within
}

func (w *Writer) field(f *shape.Field, p unsafe.Pointer) bool {
	mark := len(w.Out)
	w.named(f.Name)
	wrote := false
	if s, q := f.Shape.Reach(p); len(f.Keys) > 0 && q != nil && s.Kind == shape.List {
		wrote = w.hides(s, q) && w.list(s, q, f.Keys)
	} else {
		wrote = w.value(f.Shape, p)
	}
	if !wrote {
		w.Out = w.Out[:mark]
	}
	return wrote
}

// bag writes the entries of a property bag, sorted. An entry that is no JSON is none that an API
// server held.
func (w *Writer) bag(bag runtime.PropertyBag) bool {
	mark := len(w.names)
	w.names = slices.Grow(w.names, len(bag))
	for name := range bag {
		w.names = append(w.names, name)
	}
	slices.Sort(w.names[mark:])
	before := len(w.Out)
	w.Member(`"bag":{`)
	empty := len(w.Out)
	for _, name := range w.names[mark:] {
		start := len(w.Out)
		w.named(name)
		if !w.entry(bag[name]) {
			w.Out = w.Out[:start]
		}
	}
	w.names = w.names[:mark]
	if len(w.Out) == empty {
		w.Out = w.Out[:before]
		return false
	}
	w.Out = append(w.Out, '}')
	return true
}

// entry writes a value as it stands, but for white space.
func (w *Writer) entry(value runtime.JSON) bool {
	if len(value) == 0 {
		w.Out = append(w.Out, jsontext.Null...)
		return true
	}
	c := jsontext.Cursor{Data: value}
	if !c.Skip(jsontext.MaxDepth) || c.Peek() != 0 || c.At != len(value) {
		return false
	}
	if !c.Spaced {
		w.Out = append(jsontext.RoomFor(w.Out, len(value)), value...)
		return true
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return false
	}
	w.Out = append(w.Out, compact.Bytes()...)
	return true
}

func (w *Writer) dict(s *shape.Shape, p unsafe.Pointer) bool {
	mark := len(w.Out)
	w.Out = append(w.Out, '{')
	if !w.dictAs(`"in":{`, s, p) {
		w.Out = w.Out[:mark]
		return false
	}
	w.Out = append(w.Out, '}')
	return true
}

// dictAs writes what is hidden in the values of a map, sorted by their keys, as a member.
func (w *Writer) dictAs(member string, s *shape.Shape, p unsafe.Pointer) bool {
	if !hidesEntry(s, p) {
		return false
	}
	entries := s.MapAt(p)
	value := reflect.New(s.Type.Elem()).Elem()
	w.Member(member)
	for _, key := range s.SortedKeys(p) {
		mark := len(w.Out)
		value.Set(entries.MapIndex(key))
		w.named(key.String())
		if !w.value(s.Elem, value.Addr().UnsafePointer()) {
			w.Out = w.Out[:mark]
		}
	}
	w.Out = append(w.Out, '}')
	return true
}

// hides reports whether something is hidden in a list. Of lists that have notes that is known.
func (w *Writer) hides(s *shape.Shape, p unsafe.Pointer) bool {
	if length := s.Length(p); length > 0 {
		if i := w.Printer.find((*shape.SliceHeader)(p).Data, length); i >= 0 {
			return w.Printer.lists[i].hides
		}
	}
	return Hides(s, p)
}

// list writes what is hidden in the elements of a list, some of which hide something.
func (w *Writer) list(s *shape.Shape, p unsafe.Pointer, keys []string) bool {
	w.Out = append(w.Out, '{')
	mark := len(w.numbers)
	defer func() { w.numbers = w.numbers[:mark] }()
	if w.lists++; w.lists == fingerprint.MaxLeafLists {
		w.Printer.noted(s, p) // so that it is known what deeper lists hide, with or without keys
	}
	defer func() { w.lists-- }()
	if len(keys) > 0 && w.identities(s, p, keys) {
		w.elements(s, p, w.numbers[mark:])
		w.Member(`"keyed":true}`)
		return true
	}
	w.numbers = w.numbers[:mark]
	notes := w.Printer.noted(s, p)
	w.all(notes)
	by := w.naming(s, p)
	w.elements(s, p, nil)
	if by {
		w.Member(`"keys":`).Prints(w.numbers[mark:]...)
	}
	w.allLeaves(notes)
	w.Out = append(w.Out, '}')
	return true
}

func (w *Writer) all(notes []elementNote) {
	mark := len(w.numbers)
	for _, n := range notes {
		w.numbers = append(w.numbers, n.print)
	}
	w.Member(`"all":`).Prints(w.numbers[mark:]...)
	w.numbers = w.numbers[:mark]
}

// naming finds the member that names the elements, and leaves its fingerprints among the numbers.
func (w *Writer) naming(s *shape.Shape, p unsafe.Pointer) bool {
	mark := len(w.numbers)
	for _, name := range fingerprint.NamingMembers {
		if w.identities(s, p, []string{name}) {
			w.Member(`"by":`).Text(name)
			return true
		}
		w.numbers = w.numbers[:mark]
	}
	return false
}

// identities leaves the identities of all elements among the numbers, and reports whether they are
// identities.
func (w *Writer) identities(s *shape.Shape, p unsafe.Pointer, keys []string) bool {
	mark := len(w.numbers)
	var ok bool
	w.numbers, ok = appendIdentities(w.numbers, s, p, keys)
	return ok && fingerprint.IsUnique(w.numbers[mark:])
}

func (w *Writer) elements(s *shape.Shape, p unsafe.Pointer, keys []uint64) {
	w.Member(`"in":[`)
	for i := range s.Length(p) {
		mark := len(w.Out)
		w.Member("[").Integer(i)
		if keys != nil {
			w.Member("").Prints(keys[i])
		}
		if !w.Part("", s.Elem, s.Element(p, i)) {
			w.Out = w.Out[:mark]
			continue
		}
		w.Out = append(w.Out, ']')
	}
	w.Out = append(w.Out, ']')
}

func (w *Writer) allLeaves(notes []elementNote) {
	if notes[len(notes)-1].end-notes[0].start > maxLeaves || w.lists > fingerprint.MaxLeafLists {
		return
	}
	w.Member(`"leaves":[`)
	for _, n := range notes {
		w.leaves(w.Printer.leaves[n.start:n.end])
	}
	w.Out = append(w.Out, ']')
}
