package chain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// shapes numbers the shapes of types: two types of one number read and write
// the same JSON in storage. Names of types, docs, limits, and what is required
// are no part of a shape, enums count as their base type.
type shapes struct {
	numbers map[string]int
	defs    map[*model.Def]string
}

func newShapes() *shapes {
	return &shapes{numbers: map[string]int{}, defs: map[*model.Def]string{}}
}

// of returns the number of a type's shape.
func (s *shapes) of(t model.Type) int {
	w := shapeWriter{shapes: s, open: map[*model.Def]int{}}
	w.typ(t)
	return s.intern(w.b.String())
}

func (s *shapes) intern(text string) int {
	n, ok := s.numbers[text]
	if !ok {
		n = len(s.numbers) + 1
		s.numbers[text] = n
	}
	return n
}

// shapeWriter spells a type in a canonical way: members by name, and a
// definition that is open already as how far up it stands.
type shapeWriter struct {
	shapes *shapes
	b      strings.Builder
	open   map[*model.Def]int
	low    int // the outermost open definition that was referred to, from 1; 0 for none
}

func (w *shapeWriter) typ(t model.Type) {
	switch t := t.(type) {
	case *model.Scalar:
		w.b.WriteString(t.Kind.String())
	case *model.Enum:
		w.b.WriteString(t.Base.String())
	case *model.List:
		w.b.WriteByte('[')
		w.typ(t.Elem)
	case *model.Map:
		w.b.WriteByte('*')
		w.typ(t.Elem)
	case *model.Ref:
		w.def(t.Def)
	default:
		w.b.WriteString("any")
	}
}

func (w *shapeWriter) def(d *model.Def) {
	if at, ok := w.open[d]; ok {
		w.reach(at)
		w.b.WriteString("^" + strconv.Itoa(len(w.open)-at))
		return
	}
	if text, ok := w.shapes.defs[d]; ok {
		w.b.WriteString(text)
		return
	}
	at := len(w.open) + 1
	sub := shapeWriter{shapes: w.shapes, open: w.open}
	w.open[d] = at
	sub.object(d.Object())
	delete(w.open, d)
	text := "{" + strconv.Itoa(w.shapes.intern(sub.b.String())) + "}"
	if sub.low == 0 || sub.low >= at {
		w.shapes.defs[d] = text // closed: nothing in it depends on where it stands
	} else {
		w.reach(sub.low)
	}
	w.b.WriteString(text)
}

func (w *shapeWriter) reach(at int) {
	if w.low == 0 || at < w.low {
		w.low = at
	}
}

func (w *shapeWriter) object(o *model.Object) {
	for _, p := range sortedMembers(o) {
		w.b.WriteString(strconv.Quote(p.Name))
		w.b.WriteByte(':')
		w.typ(p.Type)
		w.b.WriteByte(',')
	}
}

func sortedMembers(o *model.Object) []*model.Property {
	all := slices.Clone(members(o))
	slices.SortFunc(all, func(a, b *model.Property) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// AdditionalName is the name under which the further members of an open object
// are followed, as if they were one property.
const AdditionalName = "$additionalProperties"

// members are an object's properties, and its further members as one property
// of map type, last.
func members(o *model.Object) []*model.Property {
	if o.Additional == nil {
		return o.Properties
	}
	return append(slices.Clone(o.Properties), &model.Property{Name: AdditionalName, Type: &model.Map{Elem: o.Additional}})
}

// Unwrap strips lists and maps off a type. The wrap spells what was stripped,
// outermost first: l for a list, m for a map.
func Unwrap(t model.Type) (wrap string, inner model.Type) {
	var b []byte
	for {
		switch u := t.(type) {
		case *model.List:
			b, t = append(b, 'l'), u.Elem
		case *model.Map:
			b, t = append(b, 'm'), u.Elem
		default:
			return string(b), t
		}
	}
}
