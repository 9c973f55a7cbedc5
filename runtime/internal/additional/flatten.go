package additional

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// flattened returns a value as clients see it in versions in which it is free JSON. The members of
// property bags are beside the others, with the names of the API. If flattened omits entries that
// belong to other versions, it returns false.
func (f *Further) flattened(value runtime.JSON) (runtime.JSON, bool) {
	if !f.hasNames() {
		return value, true
	}
	return flatten(value, f.names())
}

// flatten is flattened for a value whose free JSON an item describes.
func flatten(value runtime.JSON, i notation.Item) (runtime.JSON, bool) {
	if !bag.HasNameLikeIn(value) {
		return value, true
	}
	l := flattener{Cursor: jsontext.Cursor{Data: value, Jumps: jsontext.FindJumps(value)}, whole: true}
	return l.value(make(runtime.JSON, 0, len(value)), i), l.whole
}

// flattener moves members out of property bags. Whole is false once it has omitted an entry.
// Other values keep their order and their spelling.
type flattener struct {
	jsontext.Cursor
	whole bool
}

// value steps over a value, and writes it.
func (l *flattener) value(out []byte, i notation.Item) []byte {
	switch first := l.Peek(); {
	case first == '[' && !i.IsFree():
		out = append(out, '[')
		for l.Take('['); l.More(']'); {
			out = l.value(jsontext.Separate(out), i)
		}
		return append(out, ']')
	case first != '{' || i.IsFree():
		return append(out, l.Raw()...)
	case i.Maps == 0:
		return l.object(out, i.Inner)
	}
	out = append(out, '{')
	for l.Take('{'); l.More('}'); {
		name := bag.APIName(string(l.Name()))
		out = l.value(append(jsontext.AppendText(jsontext.Separate(out), name), ':'), i.Value())
	}
	return append(out, '}')
}

// object writes the members of an object, and then those that its bag stores. If the additional
// members of the object are free JSON, the bag stores none of its members.
func (l *flattener) object(out []byte, free *notation.List) []byte {
	out = append(out, '{')
	start, b := l.Cursor, 0
	for l.Take('{'); l.More('}'); {
		name := string(l.Name())
		if name == bag.Name {
			l.Peek()
			b = l.At
			l.Raw()
			continue
		}
		i, listed := free.Member(name)
		out = l.member(out, name, i, listed)
	}
	if b == 0 || l.Data[b] != '{' {
		return append(out, '}')
	}
	live := jsontext.IndexOf(start.Raw(), l.Jumps, seenInObject)
	end := l.At
	l.At = b
	for l.Take('{'); l.More('}'); {
		key := string(l.Name())
		name, ok := bag.KeyMember(key)
		if !ok || live.Has(bag.APIName(name)) || name == bag.Name || free.IsOpen() { // no member has that name in storage
			l.whole = false
			l.Raw()
			continue
		}
		i, listed := free.Key(key)
		here := l.Cursor
		l.whole = l.whole && isDistinct(free, key, name, here.Raw(), l.Jumps)
		out = l.member(out, name, i, listed)
	}
	l.At = end
	return append(out, '}')
}

// seenInObject returns the name by which clients see a member of a stored object, and whether
// they see it.
func seenInObject(name []byte) (string, bool) {
	return bag.APIName(jsontext.Borrow(name)), string(name) != bag.Name
}

func (l *flattener) member(out []byte, name string, i notation.Item, listed bool) []byte {
	out = append(jsontext.AppendText(jsontext.Separate(out), bag.APIName(name)), ':')
	if listed && i.Inner == nil && i.Maps == 0 {
		return append(out, l.Raw()...)
	}
	return l.value(out, i)
}
