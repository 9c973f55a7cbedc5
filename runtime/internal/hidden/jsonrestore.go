package hidden

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// JSONRestorer restores the hidden values of bags in JSON that conforms to storage types.
type JSONRestorer struct {
	restorer[span]
	jsonTarget
}

var jsonRestorers = sync.Pool{New: func() any {
	r := new(JSONRestorer)
	r.into = &r.jsonTarget
	return r
}}

// NewJSONRestorer returns a restorer for one object. The caller must call Done.
func NewJSONRestorer() *JSONRestorer { return jsonRestorers.Get().(*JSONRestorer) }

// Done returns the restorer to the pool, without references to the object.
func (r *JSONRestorer) Done() {
	if max(cap(r.restorer.elements), cap(r.bags), cap(r.jsonTarget.entries), cap(r.opened), cap(r.jsonTarget.members)) > maxKept || r.jsonTarget.isLong() {
		return
	}
	r.restorer.forget()
	r.jsonTarget.forget()
	jsonRestorers.Put(r)
}

// Append appends JSON of a shape with the hidden values of a bag in it. It returns false if only
// a [GoRestorer] can restore them.
func (r *JSONRestorer) Append(out []byte, s *shape.Shape, data []byte, b *Bag, hidden runtime.JSON) ([]byte, bool) {
	repeats := r.repeats // found in the other section
	r.jsonTarget.forget()
	r.reset(data)
	r.trusts, r.repeats = b.trusts(), repeats
	r.section(r.root(s), hidden)
	return r.spliced(out), !r.refused
}

// jsonTarget is the carrier of JSON in which values are restored. It collects the property bags,
// and inserts all of them at the end.
type jsonTarget struct {
	jsonValues
	// bags are the property bags, entries is their JSON, and last is the key of the last entry.
	bags    []newBag
	entries []byte
	last    string
	// opened are the objects around the current value, the innermost last. members has their
	// members.
	opened  []openObject
	members []jsonMember
	refused bool
}

// forget removes all data of the object, and keeps the buffers.
func (v *jsonTarget) forget() {
	v.jsonValues.forget()
	*v = jsonTarget{jsonValues: v.jsonValues, bags: v.bags[:0], entries: v.entries[:0], opened: v.opened[:0], members: truncated(v.members, 0)}
}

// newBag is a property bag to insert before the end of an object, at at. Its entries are those
// from start to end.
type newBag struct{ at, start, end uint32 }

// openObject is an object or a map whose members were read. They are sorted, from index first on.
type openObject struct {
	at    span
	first int
}

// jsonMember is a member of an object and its span.
type jsonMember struct {
	name string
	at   span
}

// reach refuses a value that does not have the kind of its shape.
func (v *jsonTarget) reach(n jsonNode) (jsonNode, bool) {
	for n.shape.Kind == shape.Pointer {
		n.shape = n.shape.Elem
	}
	if !n.shape.CarriesBag || n.at.start == n.at.end {
		return n, false
	}
	first := byte('{')
	if n.shape.Kind == shape.List {
		first = '['
	}
	is := v.data[n.at.start] == first
	v.refused = v.refused || !is
	return n, is
}

func (v *jsonTarget) member(object jsonNode, f *shape.Field) (jsonNode, bool) {
	return v.find(object.at, f.Name, f.Shape)
}

func (v *jsonTarget) entry(n jsonNode, name string) (jsonNode, bool) {
	if n.shape.Kind == shape.Map {
		return v.find(n.at, name, n.shape.Elem)
	}
	if name == bag.Name || n.shape.Member(name) != nil {
		return jsonNode{}, false
	}
	return v.find(n.at, name, n.shape.Additional.Shape.Elem)
}

// find returns a member of an object or a map.
func (v *jsonTarget) find(object span, name string, s *shape.Shape) (jsonNode, bool) {
	members := v.membersOf(object)
	i, found := slices.BinarySearchFunc(members, name, func(m jsonMember, name string) int { return strings.Compare(m.name, name) })
	if !found {
		return jsonNode{}, false
	}
	return jsonNode{s, members[i].at}, true
}

// membersOf returns the members of an object, sorted. It reads them once while only values in the
// object are restored.
func (v *jsonTarget) membersOf(object span) []jsonMember {
	for last := len(v.opened) - 1; last >= 0; last-- {
		o := v.opened[last]
		if o.at == object {
			return v.members[o.first:]
		}
		if o.at.start < object.start && object.end < o.at.end {
			break
		}
		v.opened, v.members = v.opened[:last], truncated(v.members, o.first)
	}
	first := len(v.members)
	v.opened = append(v.opened, openObject{object, first})
	c := v.cursor(object)
	for ok := c.Take('{'); ok && c.More('}'); {
		name := jsontext.Borrow(c.Name())
		v.members = append(v.members, jsonMember{name, next(&c)})
	}
	slices.SortFunc(v.members[first:], func(a, b jsonMember) int { return strings.Compare(a.name, b.name) })
	v.repeats = v.repeats || repeatsName(v.members[first:], func(m jsonMember) string { return m.name })
	return v.members[first:]
}

func (v *jsonTarget) store() {}

func (v *jsonTarget) expect(jsonNode, int) {}

// put refuses keys in another order than Hide writes them. It also refuses objects with a live
// property bag, and open objects whose additional members may replace entries.
func (v *jsonTarget) put(object jsonNode, key []byte, value runtime.JSON, _ bool) {
	at, last := object.at.end-1, len(v.bags)-1
	if last < 0 || v.bags[last].at != at {
		v.refused = v.refused || v.mayHaveBags(object.at) || object.shape.Additional != nil && object.shape.Replaces != nil
		v.bags = append(v.bags, newBag{at: at, start: uint32(len(v.entries))})
		last++
	} else {
		v.refused = v.refused || string(key) <= v.last
		v.entries = append(v.entries, ',')
	}
	v.last = jsontext.Borrow(key)
	v.entries = append(append(jsontext.AppendText(v.entries, v.last), ':'), value...)
	v.bags[last].end = uint32(len(v.entries))
}

func (v *jsonTarget) finish(jsonNode) {}

// spliced appends the JSON with all property bags inserted.
func (v *jsonTarget) spliced(out []byte) []byte {
	slices.SortFunc(v.bags, func(a, b newBag) int { return cmp.Compare(a.at, b.at) })
	from := uint32(0)
	for _, b := range v.bags {
		out = append(out, v.data[from:b.at]...)
		from = b.at
		if before := bytes.TrimRight(out, " \t\r\n"); before[len(before)-1] != '{' {
			out = append(out, ',')
		}
		out = append(append(append(out, bag.QuotedName...), ":{"...), v.entries[b.start:b.end]...)
		out = append(out, '}')
	}
	return append(out, v.data[from:]...)
}
