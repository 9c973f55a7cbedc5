package hidden

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
	"github.com/stratakube/strata/runtime/internal/watch"
)

// maxLeaves is the largest number of leaves in the elements of one list.
const maxLeaves = 1 << 16

// maxKept is the largest capacity of a buffer that is reused.
const maxKept = 1 << 16

// writer writes bags. Its methods that return a bool report whether they wrote hidden values. If
// not, they leave out unchanged.
type writer[V any] struct {
	from source[V]
	out  []byte
	// parts, elements and numbers have those of the values around the current one, the innermost
	// last.
	parts    parts[V]
	elements []node[V]
	numbers  []uint64
	// lists counts the lists around the current value. isFixed is set within an element that is
	// found again only if all of it is unchanged. The lists in it then need no fingerprints.
	lists   int
	isFixed bool
	// until ends the work. The result must then not be used.
	until *watch.Watch
}

// isLong reports whether a buffer is too long to be reused.
func (w *writer[V]) isLong() bool {
	return max(cap(w.out), cap(w.parts.entries), cap(w.parts.members), cap(w.elements), cap(w.numbers)) > maxKept
}

// forget clears the references to the object, even after a panic.
func (w *writer[V]) forget() {
	w.parts = parts[V]{entries: truncated(w.parts.entries, 0), members: truncated(w.parts.members, 0)}
	w.elements, w.numbers = truncated(w.elements, 0), w.numbers[:0]
	w.until = nil
}

// truncated returns the beginning of a buffer, and clears the rest. All buffers shrink only by
// it. So they have no references behind their length, and clearing them takes no longer than
// filling them.
func truncated[T any](buffer []T, length int) []T {
	clear(buffer[length:])
	return buffer[:length]
}

// begin starts a member. Name is JSON with its colon.
func (w *writer[V]) begin(name string) { w.out = append(jsontext.Separate(w.out), name...) }

// named starts a member with any name.
func (w *writer[V]) named(name string) {
	w.out = jsontext.Separate(jsontext.RoomFor(w.out, len(name)))
	w.out = append(jsontext.AppendText(w.out, name), ':')
}

// section writes a member with the hidden values of a value.
func (w *writer[V]) section(name string, n node[V]) bool {
	mark := len(w.out)
	w.begin(name)
	if n.shape != nil && w.value(n, nil) {
		return true
	}
	w.out = w.out[:mark]
	return false
}

// value writes the hidden values of a value. If it is a list, the keys identify its elements.
func (w *writer[V]) value(n node[V], keys []string) bool {
	n, ok := w.from.reach(n)
	switch {
	case !ok:
		return false
	case n.shape.Kind == shape.List:
		return w.from.hides(n) && w.list(n, keys)
	case n.shape.Kind == shape.Object || n.shape.Kind == shape.Map:
		return w.object(n)
	default:
		return false
	}
}

// object writes the hidden values of an object or a map.
func (w *writer[V]) object(n node[V]) bool {
	mark, entries, members := len(w.out), len(w.parts.entries), len(w.parts.members)
	w.from.split(n, &w.parts)
	named := w.parts.members[members:]
	more := len(named)
	for more > 0 && n.shape.Kind == shape.Object && named[more-1].field == nil {
		more--
	}
	w.out = append(w.out, '{')
	wrote := w.entries(w.parts.entries[entries:])
	wrote = w.members(`"in":{`, named[:more]) || wrote
	wrote = w.members(`"more":{`, named[more:]) || wrote
	w.parts.entries, w.parts.members = truncated(w.parts.entries, entries), truncated(w.parts.members, members)
	if !wrote {
		w.out = w.out[:mark]
		return false
	}
	w.out = append(w.out, '}')
	return true
}

// entries writes the entries of a property bag. It omits an entry that is not JSON, which no API
// server can have stored.
func (w *writer[V]) entries(all []jsontext.Member) bool {
	if len(all) == 0 {
		return false
	}
	before := len(w.out)
	w.begin(`"bag":{`)
	empty := len(w.out)
	for _, e := range all {
		if !w.until.OK() {
			break
		}
		mark := len(w.out)
		if w.named(e.Name); !w.entry(e.Value) {
			w.out = w.out[:mark]
		}
	}
	if len(w.out) == empty {
		w.out = w.out[:before]
		return false
	}
	w.out = append(w.out, '}')
	return true
}

// entry writes a value without white space.
func (w *writer[V]) entry(value runtime.JSON) bool {
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

// members writes a section with the hidden values of the members of an object, or of the values
// of a map.
func (w *writer[V]) members(section string, all []part[V]) bool {
	if len(all) == 0 {
		return false
	}
	before, wrote := len(w.out), false
	w.begin(section)
	for i := range all {
		if !w.until.OK() {
			break
		}
		mark := len(w.out)
		if w.named(all[i].name); w.value(all[i].node, all[i].keys()) {
			wrote = true
		} else {
			w.out = w.out[:mark]
		}
	}
	if !wrote {
		w.out = w.out[:before]
		return false
	}
	w.out = append(w.out, '}')
	return true
}

// list writes the hidden values of the elements of a list. At least one element must have some.
func (w *writer[V]) list(n node[V], keys []string) bool {
	elements, numbers, isFixed := len(w.elements), len(w.numbers), w.isFixed
	w.elements = w.from.elements(w.elements, n)
	w.lists++
	w.out = append(w.out, '{')
	w.listed(n, w.elements[elements:], keys)
	w.out = append(w.out, '}')
	w.lists, w.isFixed = w.lists-1, isFixed
	w.elements, w.numbers = truncated(w.elements, elements), w.numbers[:numbers]
	return true
}

// listed writes the members of the object for a list.
func (w *writer[V]) listed(n node[V], elements []node[V], keys []string) {
	if w.isFixed {
		w.inElements(elements, nil)
		return
	}
	if len(keys) > 0 {
		if w.lists == fingerprint.MaxLeafLists {
			w.from.prints(n, elements) // carriers must know which deeper lists hide values
		}
		if ids := w.identities(n, elements, keys); ids != nil {
			w.inElements(elements, ids)
			w.begin(`"keyed":true`)
			return
		}
	}
	prints, leaves := w.from.prints(n, elements)
	mark := len(w.numbers)
	w.numbers = appendPrintsOf(w.numbers, prints)
	w.begin(`"all":`)
	w.out = appendNumbers(w.out, w.numbers[mark:]...)
	w.numbers = w.numbers[:mark]
	names := w.names(n, elements)
	w.isFixed = names == nil && w.lists > fingerprint.MaxLeafLists
	w.inElements(elements, nil)
	if names != nil {
		w.begin(`"keys":`)
		w.out = appendNumbers(w.out, names...)
	}
	w.leaves(prints, leaves)
}

// names finds the member that names the elements, and returns their identities. It returns nil if
// there is none.
func (w *writer[V]) names(n node[V], elements []node[V]) []uint64 {
	for i := range fingerprint.NamingMembers {
		if ids := w.identities(n, elements, fingerprint.NamingMembers[i:i+1]); ids != nil {
			w.begin(`"by":`)
			w.out = jsontext.AppendText(w.out, fingerprint.NamingMembers[i])
			return ids
		}
	}
	return nil
}

// identities returns the identities of all elements. It returns nil if they are not all present
// and distinct.
func (w *writer[V]) identities(n node[V], elements []node[V], keys []string) []uint64 {
	mark := len(w.numbers)
	var ok bool
	w.numbers, ok = appendIdentities(w.numbers, carrier[V](w.from), n.shape.Elem, elements, keys)
	if ids := w.numbers[mark:]; ok && fingerprint.IsUnique(ids) {
		return ids
	}
	w.numbers = w.numbers[:mark]
	return nil
}

// inElements writes [index, identity, hidden] for each element that has hidden values. If ids is
// nil, it omits the identities.
func (w *writer[V]) inElements(elements []node[V], ids []uint64) {
	w.begin(`"in":[`)
	for i, element := range elements {
		if !w.until.OK() {
			break
		}
		mark := len(w.out)
		w.begin("[")
		w.out = strconv.AppendInt(w.out, int64(i), 10)
		if ids != nil {
			w.out = appendNumbers(append(w.out, ','), ids[i])
		}
		if w.section("", element) {
			w.out = append(w.out, ']')
		} else {
			w.out = w.out[:mark]
		}
	}
	w.out = append(w.out, ']')
}

// leaves writes the leaves of all elements, unless they are too many.
func (w *writer[V]) leaves(elements []elementPrint, leaves []uint32) {
	if w.until.Failed() || elements[len(elements)-1].end-elements[0].start > maxLeaves || w.lists > fingerprint.MaxLeafLists {
		return
	}
	w.begin(`"leaves":[`)
	for _, e := range elements {
		w.out = appendNumbers(jsontext.Separate(w.out), leaves[e.start:e.end]...)
	}
	w.out = append(w.out, ']')
}

// bag starts a bag with its header.
func (w *writer[V]) bag(h *Header) {
	w.lists, w.isFixed = 0, false
	w.out = h.Append(w.out[:0])
}
