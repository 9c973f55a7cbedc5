package hidden

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// Section is the sort of a member of the object that stores what is hidden in one value.
type Section uint8

const (
	// OtherSection is a member that readers of the format step over, or read by its name.
	OtherSection Section = iota
	// Entries are those of the value's own property bag, as {key: value}.
	Entries
	// Members are what is hidden in the members of an object, or the values of a map, as {name:
	// hidden}.
	Members
	// More are what is hidden in the additional members of an object, as {name: hidden}.
	More
	// Elements are what is hidden in the elements of a list, as [[index, ..., hidden]].
	Elements
)

// SectionOf returns the sort of the member of a name, whose value begins with first.
func SectionOf(name []byte, first byte) Section {
	switch {
	case string(name) == "bag" && first == '{':
		return Entries
	case string(name) == "in" && first == '{':
		return Members
	case string(name) == "more" && first == '{':
		return More
	case string(name) == "in" && first == '[':
		return Elements
	default:
		return OtherSection
	}
}

// list is what is hidden in a list.
type list struct {
	// all are the fingerprints of the elements, and keys those of the members that name them.
	all, keys []byte
	// by is the member that names the elements; empty for none.
	by string
	// keyed is set where the elements are found by the list's keys.
	keyed            bool
	elements, leaves runtime.JSON
}

// set reads a member of what is hidden in a list.
func (l *list) set(name []byte, value runtime.JSON) {
	switch string(name) {
	case "all":
		l.all = jsontext.Unquoted(value)
	case "by":
		l.by = string(jsontext.Unquoted(value))
	case "in":
		l.elements = value
	case "keyed":
		l.keyed = string(value) == "true"
	case "keys":
		l.keys = jsontext.Unquoted(value)
	case "leaves":
		l.leaves = value
	}
}
