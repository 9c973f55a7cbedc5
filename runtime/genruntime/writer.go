package genruntime

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// writer writes a bag. Its methods that report whether they wrote leave no trace where they did not.
type writer struct {
	out     []byte
	printer printer
	numbers []uint64
	names   []string
	// lists counts the lists that the value at hand is in.
	lists int
}

var writers = sync.Pool{New: func() any { return new(writer) }}

// done gives the writer back, without what it knows of the object.
func (w *writer) done() {
	if cap(w.out) > maxKept || cap(w.numbers) > maxKept || cap(w.printer.elements) > maxKept || cap(w.printer.leaves) > maxKept {
		return
	}
	w.printer.forget()
	clear(w.names[:cap(w.names)])
	writers.Put(w)
}

// maxKept is how long a buffer may be that is kept for the next object.
const maxKept = 1 << 16

// member begins a member, given as JSON with its colon, behind a comma where it is not the first.
func (w *writer) member(name string) *writer {
	if last := w.out[len(w.out)-1]; last != '{' && last != '[' {
		w.out = append(w.out, ',')
	}
	w.out = append(w.out, name...)
	return w
}

func (w *writer) integer(n int) { w.out = strconv.AppendInt(w.out, int64(n), 10) }

func (w *writer) text(s string) { w.out = jsontext.AppendText(w.out, s) }

func (w *writer) named(name string) {
	w.out = jsontext.RoomFor(w.out, len(name))
	w.member("")
	w.text(name)
	w.out = append(w.out, ':')
}

func (w *writer) prints(prints ...uint64) {
	w.out = append(w.out, '"')
	for len(prints) > 0 {
		// Three of them fill groups of base64 exactly.
		var raw [24]byte
		n := min(3, len(prints))
		for i, print := range prints[:n] {
			binary.BigEndian.PutUint64(raw[i*8:], print)
		}
		w.out = base64.RawURLEncoding.AppendEncode(w.out, raw[:n*8])
		prints = prints[n:]
	}
	w.out = append(w.out, '"')
}

func (w *writer) leaves(leaves []uint32) {
	w.member(`"`)
	for len(leaves) > 0 {
		var raw [12]byte
		n := min(3, len(leaves))
		for i, leaf := range leaves[:n] {
			binary.BigEndian.PutUint32(raw[i*4:], leaf)
		}
		w.out = base64.RawURLEncoding.AppendEncode(w.out, raw[:n*4])
		leaves = leaves[n:]
	}
	w.out = append(w.out, '"')
}

func (w *writer) declared(by []string) {
	if len(by) == 0 {
		return
	}
	w.member(`"declared":[`)
	for _, name := range by {
		w.member("").text(name)
	}
	w.out = append(w.out, ']')
}

// part writes a member if something is hidden in it.
func (w *writer) part(name string, s *shape, p unsafe.Pointer) bool {
	mark := len(w.out)
	if w.member(name).value(s, p) {
		return true
	}
	w.out = w.out[:mark]
	return false
}

func (w *writer) value(s *shape, p unsafe.Pointer) bool {
	if s == nil || p == nil {
		return false
	}
	switch s.kind {
	case pointerKind:
		return w.value(s.elem, *(*unsafe.Pointer)(p))
	case objectKind:
		return w.object(s, p)
	case dictKind:
		return w.dict(s, p)
	case listKind:
		return w.hides(s, p) && w.list(s, p, nil)
	default:
		return false
	}
}

func (w *writer) object(s *shape, p unsafe.Pointer) bool {
	wrote := false
	w.out = append(w.out, '{')
	if s.hasBag && len(*s.bagAt(p)) > 0 {
		wrote = w.bag(*s.bagAt(p))
	}
	mark, within := len(w.out), false
	w.member(`"in":{`)
	for i := range s.carriers {
		if f := &s.carriers[i]; f.name != "" {
			within = w.field(f, unsafe.Add(p, f.offset)) || within
		}
	}
	w.out = append(w.out, '}')
	if !within {
		w.out = w.out[:mark]
	}
	if s.more != nil && s.more.shape.carries && w.dictAs(`"more":{`, s.more.shape, unsafe.Add(p, s.more.offset)) {
		within = true
	}
	w.out = append(w.out, '}')
	return wrote || within
}

func (w *writer) field(f *field, p unsafe.Pointer) bool {
	mark := len(w.out)
	w.named(f.name)
	wrote := false
	if s, q := f.shape.reach(p); len(f.keys) > 0 && q != nil && s.kind == listKind {
		wrote = w.hides(s, q) && w.list(s, q, f.keys)
	} else {
		wrote = w.value(f.shape, p)
	}
	if !wrote {
		w.out = w.out[:mark]
	}
	return wrote
}

// bag writes the entries of a property bag, sorted. An entry that is no JSON is none that an API server held.
func (w *writer) bag(bag runtime.PropertyBag) bool {
	mark := len(w.names)
	w.names = slices.Grow(w.names, len(bag))
	for name := range bag {
		w.names = append(w.names, name)
	}
	slices.Sort(w.names[mark:])
	before := len(w.out)
	w.member(`"bag":{`)
	empty := len(w.out)
	for _, name := range w.names[mark:] {
		start := len(w.out)
		w.named(name)
		if !w.entry(bag[name]) {
			w.out = w.out[:start]
		}
	}
	w.names = w.names[:mark]
	if len(w.out) == empty {
		w.out = w.out[:before]
		return false
	}
	w.out = append(w.out, '}')
	return true
}

// entry writes a value as it stands, but for white space.
func (w *writer) entry(value runtime.JSON) bool {
	if len(value) == 0 {
		w.out = append(w.out, jsontext.Null...)
		return true
	}
	c := jsontext.Cursor{Data: value}
	if !c.Skip(jsontext.MaxDepth) || c.Peek() != 0 || c.At != len(value) {
		return false
	}
	if !c.Spaced {
		w.out = append(jsontext.RoomFor(w.out, len(value)), value...)
		return true
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return false
	}
	w.out = append(w.out, compact.Bytes()...)
	return true
}

func (w *writer) dict(s *shape, p unsafe.Pointer) bool {
	mark := len(w.out)
	w.out = append(w.out, '{')
	if !w.dictAs(`"in":{`, s, p) {
		w.out = w.out[:mark]
		return false
	}
	w.out = append(w.out, '}')
	return true
}

// dictAs writes what is hidden in the values of a map, sorted by their keys, as a member.
func (w *writer) dictAs(member string, s *shape, p unsafe.Pointer) bool {
	if !hidesEntry(s, p) {
		return false
	}
	entries := s.dict(p)
	value := reflect.New(s.of.Elem()).Elem()
	w.member(member)
	for _, key := range s.keysOf(p) {
		mark := len(w.out)
		value.Set(entries.MapIndex(key))
		w.named(key.String())
		if !w.value(s.elem, value.Addr().UnsafePointer()) {
			w.out = w.out[:mark]
		}
	}
	w.out = append(w.out, '}')
	return true
}

// hides reports whether something is hidden in a list. Of lists that have notes that is known.
func (w *writer) hides(s *shape, p unsafe.Pointer) bool {
	if length := s.length(p); length > 0 {
		if i := w.printer.find((*list)(p).data, length); i >= 0 {
			return w.printer.lists[i].hides
		}
	}
	return hides(s, p)
}

// list writes what is hidden in the elements of a list, some of which hide something.
func (w *writer) list(s *shape, p unsafe.Pointer, keys []string) bool {
	w.out = append(w.out, '{')
	mark := len(w.numbers)
	defer func() { w.numbers = w.numbers[:mark] }()
	if w.lists++; w.lists == maxLeafLists {
		w.printer.noted(s, p) // so that it is known what deeper lists hide, with or without keys
	}
	defer func() { w.lists-- }()
	if len(keys) > 0 && w.identities(s, p, keys) {
		w.elements(s, p, w.numbers[mark:])
		w.member(`"keyed":true}`)
		return true
	}
	w.numbers = w.numbers[:mark]
	notes := w.printer.noted(s, p)
	w.all(notes)
	by := w.naming(s, p)
	w.elements(s, p, nil)
	if by {
		w.member(`"keys":`).prints(w.numbers[mark:]...)
	}
	w.allLeaves(notes)
	w.out = append(w.out, '}')
	return true
}

func (w *writer) all(notes []elementNote) {
	mark := len(w.numbers)
	for _, n := range notes {
		w.numbers = append(w.numbers, n.print)
	}
	w.member(`"all":`).prints(w.numbers[mark:]...)
	w.numbers = w.numbers[:mark]
}

// naming finds the member that names the elements, and leaves its fingerprints among the numbers.
func (w *writer) naming(s *shape, p unsafe.Pointer) bool {
	mark := len(w.numbers)
	for _, name := range naming {
		if w.identities(s, p, []string{name}) {
			w.member(`"by":`).text(name)
			return true
		}
		w.numbers = w.numbers[:mark]
	}
	return false
}

// identities leaves the identities of all elements among the numbers, and reports whether they are identities.
func (w *writer) identities(s *shape, p unsafe.Pointer, keys []string) bool {
	mark := len(w.numbers)
	var ok bool
	w.numbers, ok = appendIdentities(w.numbers, s, p, keys)
	return ok && fingerprint.IsUnique(w.numbers[mark:])
}

func (w *writer) elements(s *shape, p unsafe.Pointer, keys []uint64) {
	w.member(`"in":[`)
	for i := range s.length(p) {
		mark := len(w.out)
		w.member("[").integer(i)
		if keys != nil {
			w.member("").prints(keys[i])
		}
		if !w.part("", s.elem, s.element(p, i)) {
			w.out = w.out[:mark]
			continue
		}
		w.out = append(w.out, ']')
	}
	w.out = append(w.out, ']')
}

func (w *writer) allLeaves(notes []elementNote) {
	if notes[len(notes)-1].end-notes[0].start > maxLeaves || w.lists > maxLeafLists {
		return
	}
	w.member(`"leaves":[`)
	for _, n := range notes {
		w.leaves(w.printer.leaves[n.start:n.end])
	}
	w.out = append(w.out, ']')
}
