package convert

import (
	"bytes"
	"slices"

	"github.com/stratakube/strata/runtime"
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

// left writes the entries of a property bag that were not taken and that no stashed value
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

// choose finds the key for entry i of the stash: the first of its keys that no other entry uses.
// It refuses an object in which two members may use the same key.
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

// keeps reports whether a property bag has an entry with a key, and no taking took it.
func (e *edit) keeps(had []byte, mark int, name string) bool {
	value := jsontext.MemberOf(had, name[1:len(name)-2])
	return value != nil && !slices.ContainsFunc(e.stash[mark:], func(s stashed) bool { return s.took != nil && &s.took[0] == &value[0] })
}

// rewrite rewrites the bytes of out from at on in the spelling of their type. Stored is the shape
// of the objects in it, if that differs from s.
func (e *edit) rewrite(at int, s, stored *shape.Shape) bool {
	if e.bagBytes += len(e.out) - at; e.bagBytes > maxBagBytes {
		return e.refuse(UnclearBag)
	}
	e.between = append(e.between[:0], e.out[at:]...)
	out, why := appendAs(e.out[:at], s, stored, e.between)
	e.out = out
	return why == Converted || e.refuse(why)
}

// find returns the value of the first key that a bag has, and its offset in the bag. It returns
// nil if the bag has none of the keys.
func (t *taking) find(bag runtime.JSON) (key *takingKey, value runtime.JSON, at int) {
	for i := range t.keys {
		if value, at := jsontext.MemberAt(bag, t.keys[i].key); value != nil {
			return &t.keys[i], value, at
		}
	}
	return nil, nil, 0
}

// isSmallBag reports whether JSON is an object of at most 64 members and 256 KiB, with distinct
// names that JSON and API servers spell without escapes.
func isSmallBag(bag []byte) bool {
	const most, size = 64, 1 << 18
	var names [most][]byte
	n, c := 0, jsontext.Cursor{Data: bag}
	if len(bag) > size || !c.Take('{') {
		return false
	}
	for ; c.More('}'); n++ {
		name := c.Raw()
		if n == most || bytes.ContainsAny(name, `\<>&`) {
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

// foundBag is the property bag of an object, which begins at start in the source. Its text is nil
// if the object has none.
type foundBag struct {
	text  runtime.JSON
	start int
}

// found reads a property bag. The rest of the object is edited before it.
func (e *edit) found(b *foundBag) (ok bool) {
	e.bags = true
	e.Peek()
	b.start = e.At
	if b.text, ok = e.raw(); !ok {
		return false
	}
	e.bagBytes += len(b.text)
	return e.allows(e.bagBytes <= maxBagBytes && isSmallBag(b.text), UnclearBag)
}

// maxBagBytes is the largest number of bytes that the property bags of an object may have
// together.
const maxBagBytes = 4 << 20
