package bag

import (
	"maps"
	"slices"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// Set sets the value under a key of a bag, and creates the bag if necessary. Nil removes the
// entry, and sets an empty bag to nil.
func Set(bag *runtime.PropertyBag, key string, value runtime.JSON) {
	switch {
	case value != nil && *bag == nil:
		*bag = runtime.PropertyBag{key: value}
	case value != nil:
		(*bag)[key] = value
	default:
		delete(*bag, key)
		if len(*bag) == 0 {
			*bag = nil
		}
	}
}

// SortedKeys returns the keys of a bag, sorted.
func SortedKeys(bag runtime.PropertyBag) []string {
	keys := make([]string, 0, len(bag))
	for key := range bag {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Put sets the value under a key of a bag, and creates the bag if necessary. The value may be
// null.
func Put(bag *runtime.PropertyBag, key string, value runtime.JSON) {
	if *bag == nil {
		*bag = runtime.PropertyBag{}
	}
	(*bag)[key] = jsontext.Present(value)
}

// Small is the number of entries for which a new bag has room.
const Small = 8

// WithRoom returns a bag with room for so many more entries. It need not grow again and again,
// which takes three times its memory. A bag with as many entries already stays as it is, so that
// its entries are not copied more often than others come.
func WithRoom(bag runtime.PropertyBag, more int) runtime.PropertyBag {
	if len(bag)+more <= Small || more <= len(bag) {
		return bag
	}
	wide := make(runtime.PropertyBag, len(bag)+more)
	maps.Copy(wide, bag)
	return wide
}
