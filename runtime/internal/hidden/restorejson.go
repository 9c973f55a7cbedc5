package hidden

import (
	"bytes"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// JSONRestorer is the restorer for JSON of API types: it appends the JSON of the storage type, with
// what is hidden. What is hidden must be valid JSON. It refuses with false what it takes an object
// to restore.
type JSONRestorer struct {
	Out    []byte
	Trusts bool
}

// Value appends the JSON of a value of shape s, with what is hidden in it. The keys are the
// members that identify its elements if it is a list.
func (r *JSONRestorer) Value(s *shape.Shape, data, hidden []byte, keys []string) bool {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	if !s.CarriesBag || len(hidden) == 0 || hidden[0] != '{' || len(data) == 0 {
		r.Out = append(r.Out, data...)
		return true
	}
	switch {
	case s.Kind == shape.Object && data[0] == '{':
		return r.object(s, data, hidden)
	case s.Kind == shape.Map && data[0] == '{':
		return r.dict(s, data, hidden)
	case s.Kind == shape.List && data[0] == '[':
		return r.list(s, data, hidden, keys)
	default:
		return false
	}
}

func (r *JSONRestorer) object(s *shape.Shape, data, hidden []byte) bool {
	in, more := lookupOf(jsontext.MemberOf(hidden, "in")), lookupOf(jsontext.MemberOf(hidden, "more"))
	m := shape.MemberSet{Of: s}
	ok := r.Members(data, func(name, value []byte) bool {
		f, _ := m.Find(name)
		switch {
		case f != nil:
			return r.Value(f.Shape, value, in.of(string(name)), f.Keys)
		case s.Additional == nil || string(name) == bag.Name:
			return false
		default:
			return r.Value(s.Additional.Shape.Elem, value, more.of(string(name)), nil)
		}
	})
	bag := jsontext.MemberOf(hidden, "bag")
	if s.Additional != nil && s.Replaces != nil && hasMembers(bag) {
		return false
	}
	r.bag(s, bag)
	r.Out = append(r.Out, '}')
	return ok
}

// Members appends an object, but for the bracket that ends it, with what write appends for each of
// its values.
func (r *JSONRestorer) Members(data []byte, write func(name, value []byte) bool) bool {
	c := jsontext.Cursor{Data: data}
	r.Out = append(r.Out, '{')
	for first := c.Take('{'); c.More('}'); first = false {
		start := c.At
		name := c.Raw()
		if !isPlainName(name) || !c.Take(':') {
			return false
		}
		if !first {
			r.Out = append(r.Out, ',')
		}
		r.Out = append(r.Out, data[start:c.At]...)
		if !write(name[1:len(name)-1], c.Raw()) {
			return false
		}
	}
	return true
}

// lookup finds members of a JSON object, in time that does not grow with it.
type lookup struct {
	few  []byte
	many map[string]runtime.JSON
}

func lookupOf(object []byte) lookup {
	const small = 512
	if len(object) < small {
		return lookup{few: object}
	}
	many, c := map[string]runtime.JSON{}, jsontext.Cursor{Data: object}
	for ok := c.Take('{'); ok && c.More('}'); {
		name := c.Raw()
		c.Take(':')
		value := c.Raw()
		if _, twice := many[string(name)]; !twice {
			many[string(name)] = value
		}
	}
	return lookup{many: many}
}

func (l lookup) of(name string) runtime.JSON {
	if l.many == nil {
		return jsontext.MemberOf(l.few, name)
	}
	return l.many[`"`+name+`"`]
}

func isPlainName(name []byte) bool { return len(name) > 1 && bytes.IndexByte(name, '\\') < 0 }

// bag writes the property bag of an object.
func (r *JSONRestorer) bag(s *shape.Shape, b []byte) {
	if !s.HasBag || !hasMembers(b) {
		return
	}
	if r.Out[len(r.Out)-1] != '{' {
		r.Out = append(r.Out, ',')
	}
	r.Out = append(append(append(r.Out, bag.QuotedName...), ':'), b...)
}

func (r *JSONRestorer) dict(s *shape.Shape, data, hidden []byte) bool {
	in := lookupOf(jsontext.MemberOf(hidden, "in"))
	ok := r.Members(data, func(name, value []byte) bool { return r.Value(s.Elem, value, in.of(string(name)), nil) })
	r.Out = append(r.Out, '}')
	return ok
}

func (r *JSONRestorer) list(s *shape.Shape, data, hidden []byte, keys []string) bool {
	var h list
	all := jsontext.Elements(data)
	if len(all) == 0 || !jsontext.EachMember(hidden, h.set) {
		r.Out = append(r.Out, data...)
		return true
	}
	its, ok := r.found(s, all, &h, keys)
	if !ok {
		return false
	}
	r.Out = append(r.Out, '[')
	for i, element := range all {
		if i > 0 {
			r.Out = append(r.Out, ',')
		}
		if !r.Value(s.Elem, element, its[i], nil) {
			return false
		}
	}
	r.Out = append(r.Out, ']')
	return true
}

// found returns what is hidden in each element of a list as it is now.
func (r *JSONRestorer) found(s *shape.Shape, all []runtime.JSON, h *list, keys []string) (its []runtime.JSON, ok bool) {
	its = make([]runtime.JSON, len(all))
	find := r.aligned(s, all, h)
	if h.keyed {
		find = r.keyed(s, all, keys)
	}
	if find == nil {
		return its, true
	}
	c := jsontext.Cursor{Data: h.elements}
	for ok := c.Take('['); ok && c.More(']'); {
		element := jsontext.Cursor{Data: c.Raw()}
		if !element.Take('[') {
			continue
		}
		i := find(&element)
		if element.Take(','); 0 <= i && i < len(all) {
			if its[i] != nil {
				return nil, false
			}
			its[i] = element.Raw()
		}
	}
	return its, true
}

func (r *JSONRestorer) aligned(s *shape.Shape, all []runtime.JSON, h *list) func(c *jsontext.Cursor) int {
	was, ok := fingerprint.Unpack(h.all)
	if !ok || h.keyed {
		return nil
	}
	return findIn(r.now(s, all, h, was))
}

func (r *JSONRestorer) now(s *shape.Shape, all []runtime.JSON, h *list, was []uint64) []int {
	if !r.Trusts {
		if len(was) != len(all) {
			return nil
		}
		return fingerprint.InOrder(len(was))
	}
	is, same := make([]uint64, len(all)), len(was) == len(all)
	for i, element := range all {
		is[i] = printAs(s.Elem, element)
		same = same && is[i] == was[i]
	}
	if same {
		return fingerprint.InOrder(len(was))
	}
	if now := h.named(func(keys []string) ([]uint64, bool) { return identitiesAs(s, all, keys) }); now != nil {
		return now
	}
	now := fingerprint.Side{Prints: is, Leaves: func(i int) []uint32 { return leavesAs(s.Elem, all[i]) }}
	return fingerprint.Align(fingerprint.Side{Prints: was, Leaves: hiddenLeaves(h.leaves)}, now)
}

func (r *JSONRestorer) keyed(s *shape.Shape, all []runtime.JSON, keys []string) func(c *jsontext.Cursor) int {
	if _, ok := identifiers(s.Elem.Object(), keys); !ok || len(keys) == 0 {
		return nil
	}
	ids, _ := identitiesAs(s, all, keys)
	return findBy(ids, r.Trusts)
}
