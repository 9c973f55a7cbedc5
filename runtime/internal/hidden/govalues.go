package hidden

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/additional"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// goNode is a Go value.
type goNode = node[unsafe.Pointer]

// goValues is the carrier of Go values. It changes them in place.
type goValues struct {
	printer goPrinter
	// open are copies of map values that are being changed, the innermost last.
	open []openEntry
	// budget is the number of bytes of additional members that may be written to keep parts of
	// them covered. It grows with the length of the hidden values, so that the time stays linear.
	budget int
}

// openEntry is a value of the map of a shape that was copied, because values of maps have no
// address.
type openEntry struct {
	of           *shape.Shape
	entries, key reflect.Value
	copied       *shape.Entry
}

// Visible returns the fingerprint of the object of shape s at p. It leaves out the field ignored,
// which may be nil, and the member at the path without.
func (v *goValues) Visible(s *shape.Shape, p unsafe.Pointer, ignored *shape.Field, without []string) uint64 {
	v.printer.remembers, v.printer.ignored = true, ignored
	defer func() { v.printer.ignored = nil }()
	return v.printer.object(s, p, without)
}

func (v *goValues) reach(n goNode) (goNode, bool) {
	s, p := n.shape.Reach(n.at)
	return goNode{s, p}, p != nil && s.CarriesBag
}

func (v *goValues) elements(out []goNode, list goNode) []goNode {
	length := list.shape.Length(list.at)
	out = slices.Grow(out, length)
	for i := range length {
		out = append(out, goNode{list.shape.Elem, list.shape.Element(list.at, i)})
	}
	return out
}

func (v *goValues) prints(list goNode, _ []goNode) ([]elementPrint, []uint32) {
	i := v.printer.remembered(list.shape, list.at)
	return v.printer.prints(i), v.printer.leavesOf(i, v.printer.leaves)
}

func (v *goValues) leaves(element goNode) []uint32 {
	w := goPrinter{within: 1}
	w.value(element.shape, element.at, 0)
	return w.leaves
}

func (v *goValues) identity(element goNode, members []*shape.Field) uint64 {
	_, p := element.shape.Reach(element.at)
	if p == nil {
		return 0
	}
	var w goPrinter
	id := uint64(0)
	for _, f := range members {
		value := w.value(f.Shape, unsafe.Add(p, f.Offset), 0)
		if value == 0 {
			return 0
		}
		id = fingerprint.Join(id, value)
	}
	return id
}

// hides reports whether a list contains a property bag with entries. If the list is stored, the
// answer is known.
func (v *goValues) hides(list goNode) bool {
	if at := listAt(list.shape, list.at); at.length > 0 {
		if i := v.printer.find(at); i >= 0 {
			return v.printer.lists[i].hides
		}
	}
	return Hides(list.shape, list.at)
}

func (v *goValues) split(n goNode, into *parts[unsafe.Pointer]) {
	s := n.shape
	if s.Kind == shape.Map {
		splitMap(s, n.at, into)
		return
	}
	if s.HasBag {
		mark := len(into.entries)
		into.entries = slices.Grow(into.entries, len(*s.BagAt(n.at)))
		for key, value := range *s.BagAt(n.at) {
			into.entries = append(into.entries, jsontext.Member{Name: key, Value: value})
		}
		jsontext.SortMembers(into.entries[mark:])
	}
	for i := range s.Carriers {
		f := &s.Carriers[i]
		p := unsafe.Add(n.at, f.Offset)
		if f.Name == "" { // the additional members are the last carrier
			splitMap(f.Shape, p, into)
		} else if f.Shape.Kind == shape.Object || *(*unsafe.Pointer)(p) != nil {
			into.members = append(into.members, part[unsafe.Pointer]{node: goNode{f.Shape, p}, name: f.Name, field: f})
		}
	}
}

// splitMap appends the values of a map, if one of them contains a property bag with entries. It
// copies them, because values of maps have no address.
func splitMap(s *shape.Shape, p unsafe.Pointer, into *parts[unsafe.Pointer]) {
	if !hidesEntry(s, p) {
		return
	}
	mark, count := len(into.members), s.MapAt(p).Len()
	into.members = slices.Grow(into.members, count)
	values := reflect.MakeSlice(reflect.SliceOf(s.Type.Elem()), count, count)
	e := s.Borrow(p)
	defer s.Return(e)
	for i := 0; e.Next(); i++ {
		value := values.Index(i)
		value.Set(e.Value)
		into.members = append(into.members, part[unsafe.Pointer]{node: goNode{s.Elem, value.Addr().UnsafePointer()}, name: e.Name()})
	}
	sortParts(into.members[mark:])
}

func (v *goValues) member(object goNode, f *shape.Field) (goNode, bool) {
	return goNode{f.Shape, unsafe.Add(object.at, f.Offset)}, true
}

// entry copies a value of a map, so that it has an address.
func (v *goValues) entry(n goNode, name string) (goNode, bool) {
	s, p := n.shape, n.at
	if s.Kind == shape.Object {
		s, p = s.Additional.Shape, unsafe.Add(p, s.Additional.Offset)
	}
	entries, key := s.MapAt(p), reflect.ValueOf(name).Convert(s.Type.Key())
	was := entries.MapIndex(key)
	if !was.IsValid() {
		return goNode{}, false
	}
	e := s.BlankEntry()
	e.Value.Set(was)
	v.open = append(v.open, openEntry{s, entries, key, e})
	return goNode{s.Elem, e.Address()}, true
}

func (v *goValues) store() {
	last := len(v.open) - 1
	e := v.open[last]
	v.open = truncated(v.open, last)
	e.entries.SetMapIndex(e.key, e.copied.Value)
	e.of.Return(e.copied)
}

func (v *goValues) expect(object goNode, entries int) {
	b := object.shape.BagAt(object.at)
	*b = bag.WithRoom(*b, entries)
}

func (v *goValues) put(object goNode, key []byte, value runtime.JSON, replace bool) {
	b := object.shape.BagAt(object.at)
	if _, live := (*b)[string(key)]; replace || !live {
		bag.Put(b, string(key), value)
	}
}

func (v *goValues) finish(object goNode) {
	additional.RemoveReplaced(object.shape, object.at, &v.budget)
}
