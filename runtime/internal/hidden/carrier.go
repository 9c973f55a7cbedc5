package hidden

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// node is a value of a shape. V locates the value: the address of a Go value, or the span of a
// value in JSON.
type node[V any] struct {
	shape *shape.Shape
	at    V
}

// carrier reads values of storage types, as Go values or as JSON. The rules of the format use
// only this interface. A carrier visits values and makes fingerprints of them.
type carrier[V any] interface {
	// elements appends the elements of a list.
	elements(out []node[V], list node[V]) []node[V]
	// prints returns the fingerprints of the elements of a list, and their leaves if it collects
	// them.
	prints(list node[V], elements []node[V]) ([]elementPrint, []uint32)
	// leaves returns the leaves of an element.
	leaves(element node[V]) []uint32
	// identity returns the fingerprint of the members that identify an element; zero if it lacks
	// one.
	identity(element node[V], members []*shape.Field) uint64
}

// source is a carrier of the values for which a bag is written.
type source[V any] interface {
	carrier[V]
	// reach follows the pointers to a value. It returns false if the value cannot contain a
	// property bag.
	reach(n node[V]) (node[V], bool)
	// hides reports whether a list contains a property bag with entries.
	hides(list node[V]) bool
	// split appends the bag entries and the members of an object or a map.
	split(n node[V], into *parts[V])
}

// target is a carrier of the values in which the hidden values of a bag are restored.
type target[V any] interface {
	carrier[V]
	// reach follows the pointers to a value. It returns false if nothing can be restored in it.
	reach(n node[V]) (node[V], bool)
	// member returns a member that the type of an object names.
	member(object node[V], f *shape.Field) (node[V], bool)
	// entry returns an additional member of an object, or a value of a map. If it finds one, the
	// caller must call store after changing it.
	entry(n node[V], name string) (node[V], bool)
	// store stores the value that entry returned last and that is not stored yet.
	store()
	// expect makes room for a number of entries in the property bag of an object.
	expect(object node[V], entries int)
	// put sets an entry of the property bag of an object. It replaces an existing entry only if
	// replace is set.
	put(object node[V], key []byte, value runtime.JSON, replace bool)
	// finish is called after the last change of an open object that has a property bag.
	finish(object node[V])
}

// parts are the entries of the property bags of objects, and the members that may have hidden
// values, both sorted.
type parts[V any] struct {
	entries []jsontext.Member
	members []part[V]
}

// part is a member of an object, or a value of a map.
type part[V any] struct {
	node[V]
	name string
	// field is the field of the member in its type. It is nil for values of maps, and for
	// additional members, which come last.
	field *shape.Field
}

// keys returns the members that identify an element, if the member is a list.
func (p *part[V]) keys() []string {
	if p.field == nil {
		return nil
	}
	return p.field.Keys
}

// sortParts sorts members by name. Members that the type names come first.
func sortParts[V any](all []part[V]) {
	slices.SortFunc(all, func(a, b part[V]) int {
		switch {
		case (a.field == nil) == (b.field == nil):
			return strings.Compare(a.name, b.name)
		case a.field == nil:
			return 1
		default:
			return -1
		}
	})
}

// elementPrint is the fingerprint of an element of a list. Its leaves are those from start to
// end.
type elementPrint struct {
	print      uint64
	start, end uint32
}

// appendIdentities appends the identities of elements of a shape. It returns false if an element
// has none; then the result must not be used.
func appendIdentities[V any](out []uint64, c carrier[V], of *shape.Shape, elements []node[V], keys []string) ([]uint64, bool) {
	members, ok := identifiers(of.Object(), keys)
	if !ok {
		return out, false
	}
	out = slices.Grow(out, len(elements))
	for _, element := range elements {
		id := c.identity(element, members)
		if id == 0 {
			return out, false
		}
		out = append(out, id)
	}
	return out, true
}

// identifiers returns the members with the given names. It returns false if one is absent or no
// scalar.
func identifiers(s *shape.Shape, keys []string) ([]*shape.Field, bool) {
	if s == nil {
		return nil, false
	}
	for _, key := range keys {
		if f := s.Member(key); f == nil || !f.Shape.IsScalar() {
			return nil, false
		}
	}
	members := make([]*shape.Field, len(keys))
	for i, key := range keys {
		members[i] = s.Member(key)
	}
	return members, true
}

// appendPrintsOf appends the fingerprints of elements.
func appendPrintsOf(out []uint64, elements []elementPrint) []uint64 {
	out = slices.Grow(out, len(elements))
	for _, e := range elements {
		out = append(out, e.print)
	}
	return out
}
