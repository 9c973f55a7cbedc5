package genruntime

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// printer makes fingerprints of typed values. It can keep those of list elements, and leaves.
type printer struct {
	// notes tells to keep the fingerprints of the elements of lists that can hide something, and their leaves, if
	// collects tells so.
	notes    bool
	collects bool
	// within counts the lists of which leaves are kept that the value at hand is in.
	within int
	leaves []uint32
	lists  []listNote
	// known finds long ones of the lists.
	known    map[listKey]int
	elements []elementNote
	// aside is a field that does not count.
	aside *field
	// bags counts the property bags with entries that were passed.
	bags int
}

// listKey identifies a list in memory.
type listKey struct {
	data   unsafe.Pointer
	length int
}

// listNote says where the notes on the elements of a list begin.
type listNote struct {
	data   unsafe.Pointer
	length int
	first  int
	// hides is set if a property bag with entries is somewhere in it.
	hides bool
}

// elementNote is what is known of an element of a list. Its leaves lie between two indices.
type elementNote struct {
	print      uint64
	start, end int
}

// reset forgets everything, but keeps its memory.
func (w *printer) reset() {
	*w = printer{leaves: w.leaves[:0], lists: w.lists[:0], elements: w.elements[:0]}
}

// forget is reset without what points to the object.
func (w *printer) forget() {
	clear(w.lists)
	w.reset()
}

// fewLists is how many lists are found by looking at each.
const fewLists = 16

// find returns the place of the notes on a list among those on lists; -1 for none.
func (w *printer) find(data unsafe.Pointer, length int) int {
	for i := range min(len(w.lists), fewLists) {
		if n := &w.lists[i]; n.data == data && n.length == length {
			return i
		}
	}
	if i, ok := w.known[listKey{data, length}]; ok {
		return i
	}
	return -1
}

// add adds a note on a list.
func (w *printer) add(n listNote) {
	w.lists = append(w.lists, n)
	if len(w.lists) <= fewLists {
		return
	}
	if w.known == nil {
		w.known = map[listKey]int{}
	}
	if key := (listKey{n.data, n.length}); w.known[key] == 0 {
		w.known[key] = len(w.lists) - 1
	}
}

// noted returns the notes on the elements of a list; it makes them if it must.
func (w *printer) noted(s *shape, p unsafe.Pointer) []elementNote {
	length := s.length(p)
	if i := w.find((*list)(p).data, length); i >= 0 {
		n := w.lists[i]
		return w.elements[n.first : n.first+length]
	}
	w.notes = true
	first := len(w.lists)
	w.list(s, p, 0)
	n := w.lists[first]
	return w.elements[n.first : n.first+length]
}

// value is the fingerprint of the value of shape s at p, which the name belongs to.
func (w *printer) value(s *shape, p unsafe.Pointer, name uint64) uint64 {
	switch s.kind {
	case pointerKind:
		if p = *(*unsafe.Pointer)(p); p == nil {
			return 0
		}
		return w.value(s.elem, p, name)
	case textKind:
		return w.leaf(name, fingerprint.OfString(*(*string)(p)))
	case integerKind:
		return w.leaf(name, fingerprint.OfInteger(*(*int64)(p)))
	case truthKind:
		return w.leaf(name, fingerprint.OfBool(*(*bool)(p)))
	case objectKind:
		return w.object(s, p, nil)
	case listKind:
		return w.list(s, p, name)
	case dictKind:
		return w.dict(s, p)
	case numberKind:
		return w.leaf(name, fingerprint.OfFloat(*(*float64)(p)))
	case freeKind:
		return w.leaf(name, fingerprint.OfJSON(*(*runtime.JSON)(p)))
	default:
		return w.leaf(name, printOpaque(s, p))
	}
}

func printOpaque(s *shape, p unsafe.Pointer) uint64 {
	data, err := jsontext.Marshal(s.dict(p).Interface())
	if err != nil {
		return 0
	}
	return fingerprint.OfJSON(data)
}

func (w *printer) leaf(name, value uint64) uint64 {
	if w.within > 0 && value != 0 {
		w.leaves = append(w.leaves, uint32(fingerprint.Join(name, value)>>32))
	}
	return value
}

// object is the fingerprint of an object, leaving out one member, at a path.
func (w *printer) object(s *shape, p unsafe.Pointer, without []string) uint64 {
	var sum fingerprint.Members
	if s.hasBag && len(*s.bagAt(p)) > 0 {
		w.bags++
	}
	for i := range s.fields {
		f := &s.fields[i]
		if f == w.aside {
			continue
		}
		if len(without) > 0 && without[0] == f.name {
			if inner, q := f.shape.reach(unsafe.Add(p, f.offset)); len(without) > 1 && q != nil && inner.kind == objectKind {
				sum.Add(f.print, w.object(inner, q, without[1:]))
			}
			continue
		}
		sum.Add(f.print, w.member(f, unsafe.Add(p, f.offset)))
	}
	if s.more != nil {
		w.entries(&sum, s.more.shape, unsafe.Add(p, s.more.offset))
	}
	return sum.Print()
}

func (w *printer) member(f *field, p unsafe.Pointer) uint64 {
	mark := len(w.leaves)
	value := w.value(f.shape, p, f.print)
	if f.preset == 0 {
		return value
	}
	switch {
	case value == f.preset:
		w.leaves = w.leaves[:mark]
		return 0
	case value == 0 && !f.shape.isAbsent(p):
		return w.leaf(f.print, fingerprint.Mix(fingerprint.NothingSeed))
	default:
		return value
	}
}

func (w *printer) list(s *shape, p unsafe.Pointer, name uint64) uint64 {
	length := s.length(p)
	if w.notes && s.carries && length > 0 {
		return w.note(s, p, length, name)
	}
	var sum fingerprint.Elements
	for i := range length {
		sum.Add(w.value(s.elem, s.element(p, i), name))
	}
	return sum.Print()
}

func (w *printer) note(s *shape, p unsafe.Pointer, length int, name uint64) uint64 {
	var sum fingerprint.Elements
	if w.collects {
		w.within++
		defer func() { w.within-- }()
	}
	first := len(w.elements)
	note, bags := len(w.lists), w.bags
	w.add(listNote{data: (*list)(p).data, length: length, first: first})
	w.elements = slices.Grow(w.elements, length)[:first+length]
	for i := range length {
		start := len(w.leaves)
		print := w.value(s.elem, s.element(p, i), name)
		w.elements[first+i] = elementNote{print, start, len(w.leaves)}
		sum.Add(print)
	}
	w.lists[note].hides = w.bags > bags
	return sum.Print()
}

func (w *printer) dict(s *shape, p unsafe.Pointer) uint64 {
	var sum fingerprint.Members
	w.entries(&sum, s, p)
	return sum.Print()
}

func (w *printer) entries(sum *fingerprint.Members, s *shape, p unsafe.Pointer) {
	if w.within > 0 {
		w.sortedEntries(sum, s, p)
		return
	}
	if s.elem.kind == textKind {
		for key, text := range *(*map[string]string)(p) {
			name := fingerprint.OfText(fingerprint.NameSeed, key)
			sum.Add(name, w.leaf(name, fingerprint.OfString(text)))
		}
		return
	}
	if *(*unsafe.Pointer)(p) == nil {
		return
	}
	e := s.take(p)
	defer s.give(e)
	for e.next() {
		name := fingerprint.OfText(fingerprint.NameSeed, e.name())
		sum.Add(name, w.value(s.elem, e.address(), name))
	}
}

// sortedEntries is entries in the order of the keys: leaves are kept in the order in which they come.
func (w *printer) sortedEntries(sum *fingerprint.Members, s *shape, p unsafe.Pointer) {
	if *(*unsafe.Pointer)(p) == nil {
		return
	}
	entries, value := s.dict(p), reflect.New(s.of.Elem())
	for _, key := range s.keysOf(p) {
		value.Elem().Set(entries.MapIndex(key))
		name := fingerprint.OfText(fingerprint.NameSeed, key.String())
		sum.Add(name, w.value(s.elem, value.UnsafePointer(), name))
	}
}
