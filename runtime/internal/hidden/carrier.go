package hidden

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// node is a value of a shape. A carrier knows by V where the value is: Go values by their address,
// JSON by where it begins and ends.
type node[V any] struct {
	shape *shape.Shape
	at    V
}

// carrier reads lists of storage types, as Go values or as JSON. The rules of the format are over
// carriers: a carrier only visits values, and makes fingerprints of them.
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

// source is a carrier of values of which a bag is written.
type source[V any] interface {
	carrier[V]
	// reach follows the pointers to a value. It is false where no property bag can be in the value.
	reach(n node[V]) (node[V], bool)
	// hides reports whether a property bag with entries is in a list.
	hides(list node[V]) bool
	// split appends the parts of an object or a map.
	split(n node[V], into *parts[V])
}

// target is a carrier of values in which is restored what a bag hides.
type target[V any] interface {
	carrier[V]
	// reach follows the pointers to a value. It is false where nothing can be restored.
	reach(n node[V]) (node[V], bool)
	// member finds a member that the type of an object names.
	member(object node[V], f *shape.Field) (node[V], bool)
	// entry finds an additional member of an object, or a value of a map. Where it finds one, the
	// caller ends the changes of it by store.
	entry(n node[V], name string) (node[V], bool)
	// store stores the value that entry returned last and that is not stored yet.
	store()
	// expect makes room for so many entries in the property bag of an object.
	expect(object node[V], entries int)
	// put makes a value an entry of the property bag of an object. A live entry stays, unless it
	// is to be replaced.
	put(object node[V], key []byte, value runtime.JSON, replace bool)
	// finish ends the changes of an open object that has a property bag.
	finish(object node[V])
}

// parts are the entries of the property bags of objects, and the members that may hide something,
// both sorted.
type parts[V any] struct {
	entries []jsontext.Member
	members []part[V]
}

// part is a member of an object, or a value of a map.
type part[V any] struct {
	node[V]
	name string
	// field is the member of the type; nil for additional ones, which come last, and for
	// values of maps.
	field *shape.Field
}

// keys returns the members that identify an element, if the value is a list.
func (p *part[V]) keys() []string {
	if p.field == nil {
		return nil
	}
	return p.field.Keys
}

// sortParts sorts members by their names, those that a type names first.
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

// elementPrint is the fingerprint of an element of a list. Its leaves are between two indices.
type elementPrint struct {
	print      uint64
	start, end uint32
}

// appendIdentities appends the identities of elements of a shape. It reports whether all elements
// have one; otherwise what it appends is of no use.
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

// identifiers returns the members of those names, which must be scalars.
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
