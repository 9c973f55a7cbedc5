package operation

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// Operation describes how values convert from one side of a change to the other. It is data, so
// that plans can store and compare it.
//
// An Operation and its inverse form a lens: if an operation returns a result, its inverse
// converts the result to the value again, unless the bag stores a part of it.
type Operation struct {
	kind     kind
	text     string
	by, over int64
	names    map[string]string
}

type kind uint8

const (
	unchanged kind = iota
	rename
	plural
	singular
	wrap
	unwrap
	split
	join
	scale
	scaleWhole
	key
	list
)

// Operations without a parameter. Unchanged is its own inverse, and Singular that of Plural.
var (
	// Unchanged returns the value.
	Unchanged = Operation{kind: unchanged}
	// Plural converts a value to the first element of a list. The other elements stay.
	Plural = Operation{kind: plural}
	// Singular returns the first element of a list, and nil for an empty list.
	Singular = Operation{kind: singular}
)

// Rename gives strings other names, also in lists and maps. Pairs are a name and its later name
// each, and form a permutation, so that the inverse has the pairs exchanged.
func Rename(pairs ...string) Operation {
	names := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		names[pairs[i]] = pairs[i+1]
	}
	return Operation{kind: rename, names: names}
}

// Wrap converts a value to a member of an object. The other members stay. Its inverse is [Unwrap].
func Wrap(member string) Operation { return Operation{kind: wrap, text: member} }

// Unwrap returns a member of an object, and nil if it is absent.
func Unwrap(member string) Operation { return Operation{kind: unwrap, text: member} }

// Split converts a string to the list of its parts between separators. An empty string has no
// parts, and without a separator any other has one. Its inverse is [Join].
func Split(separator string) Operation { return Operation{kind: split, text: separator} }

// Join converts a list of strings to one string, with separators between the elements.
func Join(separator string) Operation { return Operation{kind: join, text: separator} }

// Scale multiplies a number by by and divides it by over, which are positive. Its inverse has the
// two exchanged.
func Scale(by, over int64) Operation { return Operation{kind: scale, by: by, over: over} }

// ScaleWhole is [Scale] for integers. It truncates toward zero.
func ScaleWhole(by, over int64) Operation { return Operation{kind: scaleWhole, by: by, over: over} }

// Key converts a list of objects to a map of them. Member has the key of each, and is not in the
// map. A list in which an object lacks the member, or two have the same, has no map. Its inverse is
// [List].
func Key(member string) Operation { return Operation{kind: key, text: member} }

// List converts a map of objects to a list, in which member has the key of each. The objects keep
// the order that they have in the list before, and others follow by their keys. A map with an
// object that has the member already has no list.
func List(member string) Operation { return Operation{kind: list, text: member} }

// Apply converts value, which is present on one side of a change, to the other side. Before is the
// present value of the other side, or nil if it is absent: the parts of it that value cannot
// represent stay. Apply returns nil if the other side cannot represent value. It never changes its
// arguments, and takes time in proportion to their length.
func (o Operation) Apply(value, before runtime.JSON) runtime.JSON {
	switch o.kind {
	case rename:
		return appendRenamed(make(runtime.JSON, 0, len(value)), &jsontext.Cursor{Data: value}, o.names)
	case plural:
		return listed(value, before)
	case singular:
		return first(value)
	case wrap:
		return wrapped(o.text, value, before)
	case unwrap:
		return member(o.text, value)
	case split:
		return parts(o.text, value)
	case join:
		return joined(o.text, value)
	case scale:
		return scaled(value, o.by, o.over)
	case scaleWhole:
		return scaledWhole(value, o.by, o.over)
	case key:
		return keyed(o.text, value)
	case list:
		return unkeyed(o.text, value, before)
	default:
		return value
	}
}

// IsUnchanged reports whether the operation returns each value as it is.
func (o Operation) IsUnchanged() bool { return o.kind == unchanged }
