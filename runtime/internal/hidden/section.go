package hidden

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// Section is the kind of a member of an object that stores hidden values.
type Section uint8

const (
	// OtherSection is a member that readers skip, or read by its name.
	OtherSection Section = iota
	// Entries are the entries of the value's property bag, as {key: value}.
	Entries
	// Members are the hidden values of the members of an object, or of the values of a map, as
	// {name: hidden}.
	Members
	// More are the hidden values of the additional members of an object, as {name: hidden}.
	More
	// Elements are the hidden values of the elements of a list, as [[index, ..., hidden]].
	Elements
)

// SectionOf returns the kind of the member with a name, whose value begins with first.
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

// list has the hidden values of a list.
type list struct {
	// all are the packed fingerprints of the elements, and keys those of the members that name
	// them.
	all, keys []byte
	// by is the member that names the elements; empty for none.
	by string
	// keyed means that the list's keys identify the elements.
	keyed            bool
	elements, leaves runtime.JSON
}

// set sets a member of list from its JSON.
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
