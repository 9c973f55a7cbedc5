package genruntime

import (
	"bytes"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// jsonRestorer is the restorer for JSON of API types: it appends the JSON of the storage type, with what is hidden. What
// is hidden must be valid JSON. It refuses with false what it takes an object to restore.
type jsonRestorer struct {
	out    []byte
	trusts bool
}

func (r *jsonRestorer) value(s *shape, data, hidden []byte, keys []string) bool {
	for s.kind == pointerKind {
		s = s.elem
	}
	if !s.carries || len(hidden) == 0 || hidden[0] != '{' || len(data) == 0 {
		r.out = append(r.out, data...)
		return true
	}
	switch {
	case s.kind == objectKind && data[0] == '{':
		return r.object(s, data, hidden)
	case s.kind == dictKind && data[0] == '{':
		return r.dict(s, data, hidden)
	case s.kind == listKind && data[0] == '[':
		return r.list(s, data, hidden, keys)
	default:
		return false
	}
}

func (r *jsonRestorer) object(s *shape, data, hidden []byte) bool {
	in, more := lookupOf(jsontext.MemberOf(hidden, "in")), lookupOf(jsontext.MemberOf(hidden, "more"))
	m := memberReader{of: s}
	ok := r.members(data, func(name, value []byte) bool {
		f, _ := m.find(name)
		switch {
		case f != nil:
			return r.value(f.shape, value, in.of(string(name)), f.keys)
		case s.more == nil || string(name) == bag.Name:
			return false
		default:
			return r.value(s.more.shape.elem, value, more.of(string(name)), nil)
		}
	})
	bag := jsontext.MemberOf(hidden, "bag")
	if s.more != nil && s.replaces != nil && hasMembers(bag) {
		return false
	}
	r.bag(s, bag)
	r.out = append(r.out, '}')
	return ok
}

// members appends an object, but for the bracket that ends it, with what write appends for each of its values.
func (r *jsonRestorer) members(data []byte, write func(name, value []byte) bool) bool {
	c := jsontext.Cursor{Data: data}
	r.out = append(r.out, '{')
	for first := c.Take('{'); c.More('}'); first = false {
		start := c.At
		name := c.Raw()
		if !isPlainName(name) || !c.Take(':') {
			return false
		}
		if !first {
			r.out = append(r.out, ',')
		}
		r.out = append(r.out, data[start:c.At]...)
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
func (r *jsonRestorer) bag(s *shape, b []byte) {
	if !s.hasBag || !hasMembers(b) {
		return
	}
	if r.out[len(r.out)-1] != '{' {
		r.out = append(r.out, ',')
	}
	r.out = append(append(append(r.out, bag.QuotedName...), ':'), b...)
}

func (r *jsonRestorer) dict(s *shape, data, hidden []byte) bool {
	in := lookupOf(jsontext.MemberOf(hidden, "in"))
	ok := r.members(data, func(name, value []byte) bool { return r.value(s.elem, value, in.of(string(name)), nil) })
	r.out = append(r.out, '}')
	return ok
}

func (r *jsonRestorer) list(s *shape, data, hidden []byte, keys []string) bool {
	var h hiddenList
	all := elementsOf(data)
	if len(all) == 0 || !jsontext.EachMember(hidden, h.set) {
		r.out = append(r.out, data...)
		return true
	}
	its, ok := r.found(s, all, &h, keys)
	if !ok {
		return false
	}
	r.out = append(r.out, '[')
	for i, element := range all {
		if i > 0 {
			r.out = append(r.out, ',')
		}
		if !r.value(s.elem, element, its[i], nil) {
			return false
		}
	}
	r.out = append(r.out, ']')
	return true
}

// found returns what is hidden in each element of a list as it is now.
func (r *jsonRestorer) found(s *shape, all []runtime.JSON, h *hiddenList, keys []string) (its []runtime.JSON, ok bool) {
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

func (r *jsonRestorer) aligned(s *shape, all []runtime.JSON, h *hiddenList) func(c *jsontext.Cursor) int {
	was, ok := fingerprint.Unpack(h.all)
	if !ok || h.keyed {
		return nil
	}
	return findIn(r.now(s, all, h, was))
}

func (r *jsonRestorer) now(s *shape, all []runtime.JSON, h *hiddenList, was []uint64) []int {
	if !r.trusts {
		if len(was) != len(all) {
			return nil
		}
		return fingerprint.InOrder(len(was))
	}
	is, same := make([]uint64, len(all)), len(was) == len(all)
	for i, element := range all {
		is[i] = printAs(s.elem, element)
		same = same && is[i] == was[i]
	}
	if same {
		return fingerprint.InOrder(len(was))
	}
	if now := h.named(func(keys []string) ([]uint64, bool) { return identitiesAs(s, all, keys) }); now != nil {
		return now
	}
	now := fingerprint.Side{Prints: is, Leaves: func(i int) []uint32 { return leavesAs(s.elem, all[i]) }}
	return fingerprint.Align(fingerprint.Side{Prints: was, Leaves: hiddenLeaves(h.leaves)}, now)
}

func (r *jsonRestorer) keyed(s *shape, all []runtime.JSON, keys []string) func(c *jsontext.Cursor) int {
	if _, ok := identifiers(s.elem.object(), keys); !ok || len(keys) == 0 {
		return nil
	}
	ids, _ := identitiesAs(s, all, keys)
	return findBy(ids, r.trusts)
}
