package additional

import (
	"bytes"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// isSpelledAs reports whether free JSON within two equal values has the same spelling. Both must
// be in the form that clients see. The spelling of other values does not matter, because their
// types determine it.
func (f *Further) isSpelledAs(value, other runtime.JSON) bool {
	if !f.hasFree() || bytes.Equal(value, other) {
		return true
	}
	s := spelling{value: jsontext.FindJumps(value), other: jsontext.FindJumps(other)}
	return s.isSame(f.names(), value, other)
}

// spelling compares how two values are spelled.
type spelling struct{ value, other *jsontext.Jumps }

func (s *spelling) isSame(i notation.Item, value, other runtime.JSON) bool {
	a, b := jsontext.Cursor{Data: value, Jumps: s.value}, jsontext.Cursor{Data: other, Jumps: s.other}
	switch first := a.Peek(); {
	case i.IsFree():
		return bytes.Equal(value, other)
	case first == '{':
		return s.areMembersSame(i, &a, other)
	case first != '[' || b.Peek() != '[':
		return true
	}
	a.Take('[')
	for b.Take('['); a.More(']') && b.More(']'); {
		if !s.isSame(i, a.Raw(), b.Raw()) {
			return false
		}
	}
	return true
}

func (s *spelling) areMembersSame(i notation.Item, a *jsontext.Cursor, other runtime.JSON) bool {
	others := jsontext.IndexOf(other, s.other, nil)
	for a.Take('{'); a.More('}'); {
		name := string(a.Name())
		_, is := others.Member(others.Find(name))
		if !s.isSame(memberItem(i, name), a.Raw(), is) {
			return false
		}
	}
	return true
}

// memberItem returns the item of a member by the name that clients see.
func memberItem(i notation.Item, name string) notation.Item {
	if i.Maps > 0 {
		return i.Value()
	}
	within, listed := i.Inner.Member(bag.StoredName(name))
	if listed && within.Inner == nil && within.Maps == 0 {
		within.Inner = notation.FreeJSON
	}
	return within
}
