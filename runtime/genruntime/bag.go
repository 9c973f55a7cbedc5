package genruntime

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// Stash puts the JSON of value, which is a pointer, a list, a map or JSON, under key. An absent
// value changes nothing: an entry that is there is of a time when the value was called otherwise,
// or of something else that wrote it. So does a value that JSON cannot express, which no API server
// holds. The bag is made when it is needed. Free JSON is shared, not copied.
func Stash[T any](b *runtime.PropertyBag, key string, value T) {
	if data := jsontext.Encode(value); data != nil {
		bag.Set(b, key, data)
	}
}

// Recall takes the entry under key out of the bag and into dst, and reports whether it did. It does
// so only when the entry reads as a T without any loss: of the right kind of JSON, names spelled
// exactly, and once. Members that an object of T lacks go to that object's own property bag, under
// their names; where it has none, or has such an entry, they would be lost. If anything would be,
// Recall changes neither bag nor dst. A null is no value and stays where it is.
func Recall[T any](b *runtime.PropertyBag, key string, dst *T) bool {
	if !Peek(*b, key, dst) {
		return false
	}
	bag.Set(b, key, nil)
	return true
}

// RecallMembers is [Recall] for the further members of an open object. Without any, such an object
// has no map of them, so an entry without any stays where it is.
func RecallMembers[V any](b *runtime.PropertyBag, key string, dst *map[string]V) bool {
	var members map[string]V
	if !Peek(*b, key, &members) || len(members) == 0 {
		return false
	}
	bag.Set(b, key, nil)
	*dst = members
	return true
}

// Peek is [Recall] without taking the entry out of the bag.
func Peek[T any](bag runtime.PropertyBag, key string, dst *T) bool {
	entry, found := bag[key]
	if !found {
		return false
	}
	var value T
	if !codec.DecodeExactly(entry, &value) {
		return false
	}
	*dst = value
	return true
}
