package convert

import (
	"bytes"
	"slices"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

func (e *edit) stow(f *shape.Field, to *recastMember) bool {
	e.Peek()
	start := e.At
	if !e.conforms(f.Shape) {
		return false
	}
	e.stash = append(e.stash, stashed{to: to, shape: f.Shape, start: start, end: e.At})
	return true
}

// bag writes the property bag of an object: what it had and nothing took, and what is stashed.
func (e *edit) bag(had []byte, mark int) bool {
	if had == nil && len(e.stash) == mark {
		return true
	}
	at := len(e.out)
	e.name(`"` + bag.Name + `":`)
	e.out = append(e.out, '{')
	empty := len(e.out)
	for i := mark; i < len(e.stash); i++ {
		if s := &e.stash[i]; s.took == nil && !e.choose(had, mark, i) {
			return false
		}
	}
	e.left(had, mark)
	for i := mark; i < len(e.stash); i++ {
		if s := e.stash[i]; s.took == nil {
			e.name(s.to.stow[s.key].name)
			at := len(e.out)
			if !e.again(s, s.to.stow[s.key].inner) || e.down && !e.rewrite(at, s.shape, s.to.stow[s.key].held) {
				return false
			}
		}
	}
	e.stash = e.stash[:mark]
	if len(e.out) == empty {
		e.out = e.out[:at]
		return true
	}
	e.out, e.bagged = append(e.out, '}'), true
	return e.isWithin()
}

// left writes the entries of a property bag that nothing took, and nothing that is stashed
// replaces.
func (e *edit) left(had []byte, mark int) {
	c := jsontext.Cursor{Data: had}
	for ok := c.Take('{'); ok && c.More('}'); {
		start := c.At
		name := c.Raw()
		c.Take(':')
		value := c.Raw()
		gone := slices.ContainsFunc(e.stash[mark:], func(s stashed) bool {
			if s.took != nil {
				return &s.took[0] == &value[0]
			}
			key := s.to.stow[s.key].name
			return key[:len(key)-1] == string(name)
		})
		if !gone {
			e.begin()
			e.out = append(e.out, had[start:c.At]...)
		}
	}
}

// choose finds the key for the value i of the stash: the first that nothing else has. It refuses
// where that is not clear.
func (e *edit) choose(had []byte, mark, i int) bool {
	s := &e.stash[i]
	for s.key = range s.to.stow {
		name := s.to.stow[s.key].name
		other := slices.ContainsFunc(e.stash[mark:], func(o stashed) bool {
			return o.took == nil && o.to != s.to && slices.ContainsFunc(o.to.stow, func(k stowing) bool { return k.name == name })
		})
		switch last := s.key == len(s.to.stow)-1; {
		case other:
			return e.refuse(UnclearBag)
		case last || !e.keeps(had, mark, name):
			return e.allows(!s.to.stow[s.key].refuses, SeveralSteps)
		}
	}
	return e.refuse(UnclearBag)
}

// keeps reports whether a property bag has an entry of a name that nothing took.
func (e *edit) keeps(had []byte, mark int, name string) bool {
	value := jsontext.MemberOf(had, name[1:len(name)-2])
	return value != nil && !slices.ContainsFunc(e.stash[mark:], func(s stashed) bool { return s.took != nil && &s.took[0] == &value[0] })
}

// rewrite writes what stands behind a place as its type does. Held is the shape of the objects in
// it, if that is another.
func (e *edit) rewrite(at int, s, held *shape.Shape) bool {
	if e.bagBytes += len(e.out) - at; e.bagBytes > maxBagBytes {
		return e.refuse(UnclearBag)
	}
	e.between = append(e.between[:0], e.out[at:]...)
	out, ok := appendAs(e.out[:at], s, held, e.between)
	e.out = out
	return e.allows(ok, OpenObject)
}

// again edits what was stepped over.
func (e *edit) again(s stashed, r *recast) bool {
	if r == nil {
		e.out = append(e.out, e.Data[s.start:s.end]...)
		return true
	}
	at := e.At
	e.At = s.start
	ok := e.value(s.shape, r)
	e.At = at
	return ok
}

// recall takes from a property bag what the object's other shape has.
func (e *edit) recall(r *recast, m *shape.MemberSet, bag foundBag) bool {
	if bag.text == nil {
		return true
	}
	for i := range r.takings {
		t := &r.takings[i]
		if t.live >= 0 && m.Has(t.live) {
			continue
		}
		key, value, at := t.find(bag.text)
		if value == nil {
			continue
		}
		if !e.allows(key.shape != nil, SeveralSteps) || !e.allows(!r.disputed && value[0] != 'n', UnclearBag) {
			return false
		}
		e.name(t.name)
		if !e.from(bag.start+at, key) {
			return false
		}
		e.stash = append(e.stash, stashed{took: value})
	}
	return true
}

// from edits a value that was stepped over.
func (e *edit) from(start int, key *takingKey) bool {
	at := e.At
	e.At = start
	var ok bool
	if key.inner == nil {
		ok = e.copy(key.shape)
	} else {
		ok = e.value(key.shape, key.inner)
	}
	e.At = at
	return ok
}

// find returns the value of the first key that a bag has, and where it begins; nil if it has none.
func (t *taking) find(bag runtime.JSON) (key *takingKey, value runtime.JSON, at int) {
	for i := range t.keys {
		if value, at := jsontext.MemberAt(bag, t.keys[i].key); value != nil {
			return &t.keys[i], value, at
		}
	}
	return nil, nil, 0
}

// isSmallBag reports whether JSON is an object whose few members have different, plain names.
func isSmallBag(bag []byte) bool {
	const most, size = 64, 1 << 18
	var names [most][]byte
	n, c := 0, jsontext.Cursor{Data: bag}
	if len(bag) > size || !c.Take('{') {
		return false
	}
	for ; c.More('}'); n++ {
		name := c.Raw()
		if n == most || bytes.IndexByte(name, '\\') >= 0 {
			return false
		}
		for _, other := range names[:n] {
			if bytes.Equal(name, other) {
				return false
			}
		}
		names[n] = name
		c.Take(':')
		c.Raw()
	}
	return true
}
