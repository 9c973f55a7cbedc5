package hidden

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// jsonPrinter makes fingerprints of JSON that conforms to a shape. They equal those that a
// goPrinter makes of the decoded value. Property bags do not count.
type jsonPrinter struct {
	jsontext.Cursor
	// remembers enables storing the fingerprints of the elements of lists that may contain
	// property bags. collects enables storing their leaves, too.
	remembers, collects bool
	// within counts the lists around the current value whose leaves are stored.
	within int
	leaves []uint32
	listMemory[jsonList]
	// made has the elements of the lists around the current value, the innermost last. members
	// has those of the maps and objects around it.
	made    []elementPrint
	members []printedMember
	// bags counts the non-empty property bags so far.
	bags int
	repeats
}

// printedMember is a member of an object or a map. Its field is nil if the type does not name it.
type printedMember struct {
	name  string
	at    int
	field *shape.Field
}

// forget removes all data of the object, and keeps the buffers.
func (w *jsonPrinter) forget() {
	w.listMemory.forget()
	*w = jsonPrinter{collects: w.collects, leaves: w.leaves[:0], listMemory: w.listMemory, made: w.made[:0], members: truncated(w.members, 0),
		repeats: repeats{names: w.names[:0]}}
}

// isLong reports whether a buffer is too long to be reused.
func (w *jsonPrinter) isLong() bool {
	return w.listMemory.isLong() || max(cap(w.leaves), cap(w.made), cap(w.members), cap(w.names)) > maxKept
}

// expect makes room for the elements of a list.
func (w *jsonPrinter) expect(elements int) {
	w.made, w.elements = slices.Grow(w.made, elements), slices.Grow(w.elements, elements)
}

// remembered returns the index of the list at a cursor; -1 if it has no elements. It makes the
// fingerprints of these if it must.
func (w *jsonPrinter) remembered(s *shape.Shape, list jsontext.Cursor) int {
	i := w.find(jsonList(list.At))
	if i < 0 {
		w.Cursor, w.remembers = list, true
		w.list(s, 0)
		i = w.find(jsonList(list.At))
	}
	return i
}

// VisibleInJSON returns the fingerprint of an object that conforms to a shape, without the member
// at the path without. It is not ok if a map has two members of one name.
func VisibleInJSON(s *shape.Shape, data []byte, without []string) (visible uint64, ok bool) {
	w := jsonPrinter{Cursor: jsontext.Cursor{Data: data}}
	visible = w.object(s, without)
	return visible, !w.found
}

func (w *jsonPrinter) value(s *shape.Shape, name uint64) uint64 {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	switch s.Kind {
	case shape.Text:
		if text, ok := w.PlainText(); ok {
			return w.leaf(name, fingerprint.OfString(text))
		}
		return w.leaf(name, fingerprint.OfValue(&w.Cursor))
	case shape.Number:
		f, _ := strconv.ParseFloat(jsontext.Borrow(w.Raw()), 64)
		return w.leaf(name, fingerprint.OfFloat(f))
	case shape.Object:
		return w.object(s, nil)
	case shape.List:
		return w.list(s, name)
	case shape.Map:
		if w.within > 0 {
			return w.sorted(s)
		}
		return w.dict(s)
	default:
		return w.leaf(name, fingerprint.OfValue(&w.Cursor))
	}
}

func (w *jsonPrinter) leaf(name, value uint64) uint64 {
	if w.within > 0 && value != 0 {
		w.leaves = append(w.leaves, uint32(fingerprint.Join(name, value)>>32))
	}
	return value
}

func (w *jsonPrinter) list(s *shape.Shape, name uint64) uint64 {
	if w.remembers && s.CarriesBag {
		return w.remember(s, name)
	}
	var sum fingerprint.Elements
	for another := w.Begins('['); another; another = w.Another() {
		sum.Add(w.value(s.Elem, name))
	}
	return sum.Print()
}

// remember is list, but also stores the fingerprints of the elements.
func (w *jsonPrinter) remember(s *shape.Shape, name uint64) uint64 {
	if w.collects {
		w.within++
		defer func() { w.within-- }()
	}
	w.Peek()
	var sum fingerprint.Elements
	key, mark, bags := jsonList(w.At), len(w.made), w.bags
	for another := w.Begins('['); another; another = w.Another() {
		start := len(w.leaves)
		print := w.value(s.Elem, name)
		w.made = append(w.made, elementPrint{print, uint32(start), uint32(len(w.leaves))})
		sum.Add(print)
	}
	if made := w.made[mark:]; len(made) > 0 {
		first := len(w.elements)
		w.elements = append(w.elements, made...)
		w.record(listPrints[jsonList]{key: key, first: uint32(first), length: uint32(len(made)), hides: w.bags > bags})
	}
	w.made = w.made[:mark]
	return sum.Print()
}

// dict returns the fingerprint of a map whose leaves are not collected.
func (w *jsonPrinter) dict(s *shape.Shape) uint64 {
	var sum fingerprint.Members
	names := w.begin()
	for another := w.Begins('{'); another; another = w.Another() {
		text := w.Name()
		name := fingerprint.OfText(fingerprint.NameSeed, text)
		w.add(&names, text, name)
		sum.Add(name, w.value(s.Elem, name))
	}
	w.end(&names)
	return sum.Print()
}

// sorted returns the fingerprint of a map or an object. It visits members in the order in which
// leaves are stored: sorted by name, and in an object those that the type names first.
func (w *jsonPrinter) sorted(s *shape.Shape) uint64 {
	mark := len(w.members)
	m := shape.MemberSet{Of: s}
	for another := w.Begins('{'); another; another = w.Another() {
		name := w.Name()
		w.Peek()
		n := printedMember{name: jsontext.Borrow(name), at: w.At}
		if s.Kind == shape.Object {
			n.field, _ = m.Find(name)
		}
		value := w.Raw()
		if isBag := s.HasBag && n.field == nil && n.name == bag.Name; isBag && hasMembers(value) {
			w.bags++
		} else if !isBag && (n.field != nil || s.Kind == shape.Map || s.Additional != nil) {
			w.members = append(w.members, n)
		}
	}
	all, rest := w.members[mark:], w.At
	slices.SortFunc(all, printedMember.compare)
	more := all
	for len(more) > 0 && more[0].field != nil {
		more = more[1:]
	}
	w.found = w.found || repeatsName(more, func(n printedMember) string { return n.name })
	elem := s.Elem
	if s.Kind == shape.Object && s.Additional != nil {
		elem = s.Additional.Shape.Elem
	}
	var sum fingerprint.Members
	for i := range all {
		// Members of inner values may have moved the members of this one.
		n := w.members[mark+i]
		if w.At = n.at; n.field != nil {
			sum.Add(n.field.Print, w.member(n.field))
		} else {
			name := fingerprint.OfText(fingerprint.NameSeed, n.name)
			sum.Add(name, w.value(elem, name))
		}
	}
	w.At, w.members = rest, truncated(w.members, mark)
	return sum.Print()
}

// compare compares members by name. Members that the type names come first.
func (n printedMember) compare(other printedMember) int {
	switch {
	case (n.field == nil) == (other.field == nil):
		return strings.Compare(n.name, other.name)
	case n.field == nil:
		return 1
	default:
		return -1
	}
}

func (w *jsonPrinter) object(s *shape.Shape, without []string) uint64 {
	if w.within > 0 {
		return w.sorted(s)
	}
	var sum fingerprint.Members
	m, names := shape.MemberSet{Of: s}, w.begin()
	for another := w.Begins('{'); another; another = w.Another() {
		w.Peek()
		if f, _ := m.Expected(w.Data[w.At:]); f != nil {
			w.At += len(f.Quoted)
			sum.Add(f.Print, w.memberBut(f, without))
			continue
		}
		name := w.Name()
		f, _ := m.Find(name)
		switch {
		case f != nil:
			sum.Add(f.Print, w.memberBut(f, without))
		case s.Additional == nil || s.HasBag && string(name) == bag.Name:
			w.Raw()
		default:
			print := fingerprint.OfText(fingerprint.NameSeed, name)
			w.add(&names, name, print)
			sum.Add(print, w.value(s.Additional.Shape.Elem, print))
		}
	}
	w.end(&names)
	return sum.Print()
}

// memberBut is member, but leaves out the member at the path without.
func (w *jsonPrinter) memberBut(f *shape.Field, without []string) uint64 {
	switch {
	case len(without) == 0 || without[0] != f.Name:
		return w.member(f)
	case len(without) > 1 && f.Shape.Object() != nil:
		return w.object(f.Shape.Object(), without[1:])
	default:
		w.Raw()
		return 0
	}
}

func (w *jsonPrinter) member(f *shape.Field) uint64 {
	if f.Default == 0 {
		return w.value(f.Shape, f.Print)
	}
	mark, list := len(w.leaves), len(w.lists)
	switch value := w.value(f.Shape, f.Print); {
	case value == f.Default:
		w.leaves = w.moveDefault(list, w.leaves, mark)
		return 0
	case value == 0:
		return w.leaf(f.Print, fingerprint.Mix(fingerprint.NothingSeed))
	default:
		return value
	}
}
