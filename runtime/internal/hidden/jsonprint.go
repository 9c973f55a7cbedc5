package hidden

import (
	"strconv"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// jsonPrinter makes fingerprints of JSON that conforms to a shape, the same as a goPrinter makes of
// the value that the JSON is. Property bags do not count.
type jsonPrinter struct {
	jsontext.Cursor
	collects bool
	leaves   []uint32
	repeats
}

// ShownInJSON returns the fingerprint of an object that conforms to a shape, without the member at
// a path. It is not ok where a map has two members of one name.
func ShownInJSON(s *shape.Shape, data []byte, without []string) (shown uint64, ok bool) {
	w := jsonPrinter{Cursor: jsontext.Cursor{Data: data}}
	shown = w.object(s, without)
	return shown, !w.found
}

func (w *jsonPrinter) value(s *shape.Shape, name uint64) uint64 {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	switch s.Kind {
	case shape.Number:
		f, _ := strconv.ParseFloat(jsontext.Borrow(w.Raw()), 64)
		return w.leaf(name, fingerprint.OfFloat(f))
	case shape.Object:
		return w.object(s, nil)
	case shape.List:
		var sum fingerprint.Elements
		for w.Take('['); w.More(']'); {
			sum.Add(w.value(s.Elem, name))
		}
		return sum.Print()
	case shape.Map:
		if w.collects {
			return w.sorted(s)
		}
		return w.dict(s)
	default:
		return w.leaf(name, fingerprint.OfValue(&w.Cursor))
	}
}

func (w *jsonPrinter) leaf(name, value uint64) uint64 {
	if w.collects && value != 0 {
		w.leaves = append(w.leaves, uint32(fingerprint.Join(name, value)>>32))
	}
	return value
}

// dict prints a map whose leaves are not collected.
func (w *jsonPrinter) dict(s *shape.Shape) uint64 {
	var sum fingerprint.Members
	names := w.begin()
	for w.Take('{'); w.More('}'); {
		text := w.Name()
		name := fingerprint.OfText(fingerprint.NameSeed, text)
		w.add(&names, text, name)
		sum.Add(name, w.value(s.Elem, name))
	}
	w.end(&names)
	return sum.Print()
}

// sorted prints a map or an object in the order of its keys, in which leaves are kept: of an object
// first the members that its type names.
func (w *jsonPrinter) sorted(s *shape.Shape) uint64 {
	var named, more []jsontext.Member
	m := shape.MemberSet{Of: s}
	for w.Take('{'); w.More('}'); {
		name := w.Name()
		n := jsontext.Member{Name: string(name), Value: w.Raw()}
		if s.Kind == shape.Map {
			more = append(more, n)
		} else if f, _ := m.Find(name); f != nil {
			named = append(named, n)
		} else if s.Additional != nil && !(s.HasBag && n.Name == bag.Name) {
			more = append(more, n)
		}
	}
	jsontext.SortMembers(named)
	jsontext.SortMembers(more)
	w.found = w.found || repeatsName(more, func(n jsontext.Member) string { return n.Name })
	var sum fingerprint.Members
	rest := w.Cursor
	for _, n := range named {
		f := s.Member(n.Name)
		w.Cursor = jsontext.Cursor{Data: n.Value}
		sum.Add(f.Print, w.member(f))
	}
	elem := s.Elem
	if s.Kind == shape.Object && s.Additional != nil {
		elem = s.Additional.Shape.Elem
	}
	for _, n := range more {
		name := fingerprint.OfText(fingerprint.NameSeed, n.Name)
		w.Cursor = jsontext.Cursor{Data: n.Value}
		sum.Add(name, w.value(elem, name))
	}
	w.Cursor = rest
	return sum.Print()
}

func (w *jsonPrinter) object(s *shape.Shape, without []string) uint64 {
	if w.collects {
		return w.sorted(s)
	}
	var sum fingerprint.Members
	m, names := shape.MemberSet{Of: s}, w.begin()
	for w.Take('{'); w.More('}'); {
		name := w.Name()
		f, _ := m.Find(name)
		switch {
		case f == nil && (s.Additional == nil || s.HasBag && string(name) == bag.Name):
			w.Raw()
		case f == nil:
			print := fingerprint.OfText(fingerprint.NameSeed, name)
			w.add(&names, name, print)
			sum.Add(print, w.value(s.Additional.Shape.Elem, print))
		case len(without) == 0 || without[0] != f.Name:
			sum.Add(f.Print, w.member(f))
		case len(without) > 1 && f.Shape.Object() != nil:
			sum.Add(f.Print, w.object(f.Shape.Object(), without[1:]))
		default:
			w.Raw()
		}
	}
	w.end(&names)
	return sum.Print()
}

func (w *jsonPrinter) member(f *shape.Field) uint64 {
	mark := len(w.leaves)
	switch value := w.value(f.Shape, f.Print); {
	case f.Default == 0:
		return value
	case value == f.Default:
		w.leaves = w.leaves[:mark]
		return 0
	case value == 0:
		return w.leaf(f.Print, fingerprint.Mix(fingerprint.NothingSeed))
	default:
		return value
	}
}
