package hidden

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// JSONWriter is the writer of a bag for JSON of storage types: it writes the same bytes as a writer
// does for the value that the JSON is.
type JSONWriter struct{ *Writer }

// Part writes a member if something is hidden in it.
func (w JSONWriter) Part(name string, s *shape.Shape, data []byte) bool {
	mark := len(w.Out)
	if w.Member(name); w.value(s, data, nil) {
		return true
	}
	w.Out = w.Out[:mark]
	return false
}

func (w JSONWriter) value(s *shape.Shape, data []byte, keys []string) bool {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	switch {
	case !s.CarriesBag || !bag.MayHaveBags(data):
		return false
	case s.Kind == shape.Object:
		return w.object(s, data)
	case s.Kind == shape.Map:
		return w.dict(s, data)
	case s.Kind == shape.List:
		return HidesJSON(s, data) && w.list(s, data, keys)
	default:
		return false
	}
}

// HidesJSON reports whether a property bag with entries is in JSON of a shape.
func HidesJSON(s *shape.Shape, data []byte) bool {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	if !s.CarriesBag || !bag.MayHaveBags(data) {
		return false
	}
	c := jsontext.Cursor{Data: data}
	switch s.Kind {
	case shape.Object:
		m := shape.MemberSet{Of: s}
		for ok := c.Take('{'); ok && c.More('}'); {
			name := c.Name()
			value := c.Raw()
			switch f, _ := m.Find(name); {
			case f != nil && HidesJSON(f.Shape, value), f == nil && s.HasBag && string(name) == bag.Name && hasMembers(value):
				return true
			case f == nil && s.Additional != nil && string(name) != bag.Name && HidesJSON(s.Additional.Shape.Elem, value):
				return true
			}
		}
	case shape.List:
		for ok := c.Take('['); ok && c.More(']'); {
			if HidesJSON(s.Elem, c.Raw()) {
				return true
			}
		}
	case shape.Map:
		for ok := c.Take('{'); ok && c.More('}'); {
			if c.Name(); HidesJSON(s.Elem, c.Raw()) {
				return true
			}
		}
	}
	return false
}

// hasMembers reports whether JSON is an object that is not empty.
func hasMembers(value runtime.JSON) bool {
	c := jsontext.Cursor{Data: value}
	return c.Take('{') && c.More('}')
}

func (w JSONWriter) object(s *shape.Shape, data []byte) bool {
	var in, more []jsontext.Member
	wrote := false
	w.Out = append(w.Out, '{')
	m, c := shape.MemberSet{Of: s}, jsontext.Cursor{Data: data}
	for c.Take('{'); c.More('}'); {
		name := c.Name()
		value := c.Raw()
		switch f, _ := m.Find(name); {
		case f != nil && f.Shape.CarriesBag:
			in = append(in, jsontext.Member{Name: f.Name, Value: value})
		case f == nil && s.HasBag && string(name) == bag.Name:
			wrote = w.entries(value)
		case f == nil && s.Additional != nil:
			more = append(more, jsontext.Member{Name: string(name), Value: value})
		}
	}
	jsontext.SortMembers(in)
	jsontext.SortMembers(more)
	within := w.within(`"in":{`, in, func(n jsontext.Member) bool { f := s.Member(n.Name); return w.value(f.Shape, n.Value, f.Keys) })
	if len(more) > 0 && s.Additional.Shape.CarriesBag {
		within = w.within(`"more":{`, more, func(n jsontext.Member) bool { return w.value(s.Additional.Shape.Elem, n.Value, nil) }) || within
	}
	w.Out = append(w.Out, '}')
	return wrote || within
}

// within writes a member with what is hidden in values, if anything is.
func (w JSONWriter) within(member string, all []jsontext.Member, write func(n jsontext.Member) bool) bool {
	mark, wrote := len(w.Out), false
	w.Member(member)
	for _, n := range all {
		start := len(w.Out)
		if w.named(n.Name); write(n) {
			wrote = true
		} else {
			w.Out = w.Out[:start]
		}
	}
	if w.Out = append(w.Out, '}'); !wrote {
		w.Out = w.Out[:mark]
	}
	return wrote
}

// entries writes the entries of a property bag, sorted.
func (w JSONWriter) entries(bag []byte) bool {
	all := jsontext.SortedMembers(bag)
	if len(all) == 0 {
		return false
	}
	w.Member(`"bag":{`)
	for _, n := range all {
		w.named(n.Name)
		w.Out = jsontext.AppendCompact(w.Out, n.Value)
	}
	w.Out = append(w.Out, '}')
	return true
}

func (w JSONWriter) dict(s *shape.Shape, data []byte) bool {
	mark := len(w.Out)
	w.Out = append(w.Out, '{')
	if !w.within(`"in":{`, jsontext.SortedMembers(data), func(n jsontext.Member) bool { return w.value(s.Elem, n.Value, nil) }) {
		w.Out = w.Out[:mark]
		return false
	}
	w.Out = append(w.Out, '}')
	return true
}

func (w JSONWriter) list(s *shape.Shape, data []byte, keys []string) bool {
	all := jsontext.Elements(data)
	w.Out = append(w.Out, '{')
	w.lists++
	defer func() { w.lists-- }()
	if len(keys) > 0 {
		if ids, ok := identitiesAs(s, all, keys); ok && fingerprint.IsUnique(ids) {
			w.elements(s, all, ids)
			w.Member(`"keyed":true}`)
			return true
		}
	}
	prints, leaves, count := make([]uint64, len(all)), make([][]uint32, len(all)), 0
	for i, element := range all {
		p := jsonPrinter{Cursor: jsontext.Cursor{Data: element}, collects: true}
		prints[i], leaves[i] = p.value(s.Elem, 0), p.leaves
		count += len(p.leaves)
	}
	w.Member(`"all":`).Prints(prints...)
	var named []uint64
	for _, name := range fingerprint.NamingMembers {
		if ids, ok := identitiesAs(s, all, []string{name}); ok && fingerprint.IsUnique(ids) {
			w.Member(`"by":`).Text(name)
			named = ids
			break
		}
	}
	w.elements(s, all, nil)
	if named != nil {
		w.Member(`"keys":`).Prints(named...)
	}
	if count <= maxLeaves && w.lists <= fingerprint.MaxLeafLists {
		w.Member(`"leaves":[`)
		for _, l := range leaves {
			w.leaves(l)
		}
		w.Out = append(w.Out, ']')
	}
	w.Out = append(w.Out, '}')
	return true
}

func (w JSONWriter) elements(s *shape.Shape, all []runtime.JSON, ids []uint64) {
	w.Member(`"in":[`)
	for i, element := range all {
		mark := len(w.Out)
		w.Member("[").Integer(i)
		if ids != nil {
			w.Member("").Prints(ids[i])
		}
		if !w.Part("", s.Elem, element) {
			w.Out = w.Out[:mark]
			continue
		}
		w.Out = append(w.Out, ']')
	}
	w.Out = append(w.Out, ']')
}

// WithoutBags appends JSON of a shape without its property bags.
func WithoutBags(out []byte, s *shape.Shape, data []byte) []byte {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	if !s.CarriesBag || !bag.MayHaveBags(data) {
		return append(out, data...)
	}
	c, m, bracket := jsontext.Cursor{Data: data}, shape.MemberSet{Of: s}, data[0]
	out = append(out, bracket)
	for first := c.Take(bracket); c.More(bracket + 2); {
		start, inner := c.At, s.Elem
		if bracket == '{' {
			name := c.Name()
			if s.Kind == shape.Object {
				if inner = memberShape(s, &m, name); inner == nil {
					c.Raw()
					continue
				}
			}
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = WithoutBags(append(out, data[start:c.At]...), inner, c.Raw())
	}
	return append(out, bracket+2)
}

// inside is the shape of a member of an object; nil for its property bag, and what it does not
// have.
func memberShape(s *shape.Shape, m *shape.MemberSet, name []byte) *shape.Shape {
	f, _ := m.Find(name)
	switch {
	case f != nil:
		return f.Shape
	case s.Additional == nil || s.HasBag && string(name) == bag.Name:
		return nil
	default:
		return s.Additional.Shape.Elem
	}
}
