package jsontext

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime"
)

// OrNull returns a value, and null for an absent one.
func OrNull(value runtime.JSON) runtime.JSON {
	if len(value) == 0 {
		return runtime.JSON(Null)
	}
	return value
}

// Member is a member of a JSON object. Its name has no escapes.
type Member struct {
	Name  string
	Value runtime.JSON
}

// SortMembers sorts members by name.
func SortMembers(all []Member) {
	slices.SortFunc(all, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
}

// SortedMembers returns the members of a JSON object, sorted by name. They share its memory.
func SortedMembers(object []byte) []Member {
	c := Cursor{Data: object}
	all := make([]Member, 0, c.Count())
	for ok := c.Take('{'); ok && c.More('}'); {
		all = append(all, Member{Borrow(c.Name()), c.Raw()})
	}
	SortMembers(all)
	return all
}

// Elements returns the elements of a JSON list.
func Elements(list []byte) []runtime.JSON {
	var out []runtime.JSON
	c := Cursor{Data: list}
	for ok := c.Take('['); ok && c.More(']'); {
		out = append(out, c.Raw())
	}
	return out
}

// Separate writes a comma unless the member or element is the first.
func Separate(out []byte) []byte {
	if last := out[len(out)-1]; last != '{' && last != '[' {
		return append(out, ',')
	}
	return out
}
