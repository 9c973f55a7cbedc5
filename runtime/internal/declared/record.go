package declared

import (
	"hash/fnv"
	"strconv"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
)

// Record is what a bag stores under the name of a step. Values is a checksum of the properties that
// the step has set. Before has, by JSON name, the entries that the neighbour's bag had for the
// properties that the step changed; null stands for no entry. Derived is a checksum of what the
// opposite step derives from the object; it is empty for steps without one that a user wrote.
type Record struct {
	Values  string                  `json:"values"`
	Before  map[string]runtime.JSON `json:"before,omitempty"`
	Derived string                  `json:"derived,omitzero"`
}

// read reads a record, which stays in the bag. It reports false if there is none that reads without
// loss.
func read[T any](b runtime.PropertyBag, key string, dst *T) bool {
	entry, found := b[key]
	return found && codec.DecodeExactly(entry, dst)
}

// Take returns a record, and removes it from the bag. It returns nil if there is none that reads
// without loss.
func Take[T any](b *runtime.PropertyBag, key string) (record *T) {
	var value *T
	if !read(*b, key, &value) {
		return nil
	}
	bag.Set(b, key, nil)
	return value
}

// Sum is a checksum of a JSON value. The order of members does not count: the API server sorts
// those of free JSON.
func Sum(value runtime.JSON) string {
	sum := fnv.New64a()
	sum.Write(jsontext.Sorted(value))
	return strconv.FormatUint(sum.Sum64(), 36)
}

// applied returns the result of an operation for a value, and nil for an absent value.
func applied(convert operation.Operation, value, before runtime.JSON) runtime.JSON {
	if value == nil {
		return nil
	}
	return convert.Apply(value, before)
}

func isSameOrAbsent(a, b runtime.JSON) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return jsontext.IsSame(a, b)
}
