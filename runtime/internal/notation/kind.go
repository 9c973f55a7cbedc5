package notation

import (
	"strconv"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// IsOfKind reports whether a property of a kind can have a value. It considers the kind alone. An
// object with a null, or with a member whose name is like that of a property bag, has no kind. No
// type could preserve it.
func IsOfKind(kind string, value runtime.JSON) bool { return IsOfKindExcept(kind, value, nil) }

// IsOfKindExcept is IsOfKind, but ignores the members in the list free.
func IsOfKindExcept(kind string, value runtime.JSON, free *List) bool {
	c := jsontext.Cursor{Data: value}
	first := c.Peek()
	switch {
	case first == 'n' || first == 0 || kind == "":
		return false
	case kind == "a":
		return true
	case kind == "s":
		if first != '"' {
			return false
		}
		_, ok := jsontext.Unescaped(value[1 : len(value)-1])
		return ok
	case kind == "b":
		return first == 't' || first == 'f'
	case kind == "i":
		_, err := strconv.ParseInt(string(value), 10, 64)
		return err == nil && jsontext.IsInteger(string(value))
	case kind == "n":
		f, err := strconv.ParseFloat(string(value), 64)
		return err == nil && jsontext.IsExact(f, string(value))
	case kind == "o":
		return first == '{' && isPlainValue(&c, free)
	case kind[0] == 'l' && first == '[':
		for c.Take('['); c.More(']'); {
			if value := c.Raw(); kind[1:] != "a" && !IsOfKindExcept(kind[1:], value, free) {
				return false
			}
		}
		return true
	case kind[0] == 'm' && first == '{':
		for c.Take('{'); c.More('}'); {
			c.Name()
			if value := c.Raw(); kind[1:] != "a" && !IsOfKindExcept(kind[1:], value, free) {
				return false
			}
		}
		return true
	}
	return false
}

// isPlainValue steps over a value. It reports whether no member in it is null or has a name like
// that of a property bag, except for free JSON.
func isPlainValue(c *jsontext.Cursor, free *List) bool {
	switch c.Peek() {
	case 'n':
		return false
	case '{':
		for c.Take('{'); c.More('}'); {
			name := string(c.Name())
			i, listed := free.Member(name)
			switch {
			case bag.IsLike(name, bag.Name), c.Peek() == 'n':
				return false
			case listed && i.Inner == nil && i.Maps == 0:
				c.Raw()
			case !i.isPlain(c):
				return false
			}
		}
	case '[':
		for c.Take('['); c.More(']'); {
			if !isPlainValue(c, free) {
				return false
			}
		}
	default:
		c.Raw()
	}
	return true
}

// isPlain is isPlainValue for a value in the maps around an item.
func (i Item) isPlain(c *jsontext.Cursor) bool {
	if i.IsFree() {
		c.Raw()
		return true
	}
	if i.Maps == 0 || c.Peek() != '{' && c.Peek() != '[' {
		return isPlainValue(c, i.Inner)
	}
	if c.Take('[') {
		for c.More(']') {
			if !i.isPlain(c) {
				return false
			}
		}
		return true
	}
	for c.Take('{'); c.More('}'); {
		if c.Name(); !i.Value().isPlain(c) {
			return false
		}
	}
	return true
}

// FreeJSON is the list for free JSON.
var FreeJSON = &List{Kind: "a"}

// IsFree reports whether the item is free JSON that is not in maps.
func (i Item) IsFree() bool { return i.Maps == 0 && i.Inner != nil && i.Inner.Kind == "a" }
