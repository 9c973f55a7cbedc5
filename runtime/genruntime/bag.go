package genruntime

import (
	"reflect"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
)

// Stash stores the JSON of value under key, as API servers spell it. Value is a pointer, a list, a
// map or JSON. Free JSON keeps its spelling.
//
// An absent value changes nothing: an existing entry belongs to another version of the property
// or to another writer. A value that JSON cannot represent changes nothing either; no API server
// can store one. Stash creates the bag if necessary. Free JSON is shared, and not copied.
func Stash[T any](b *runtime.PropertyBag, key string, value T) {
	if data := codec.Entry(value); data != nil {
		bag.Set(b, key, data)
	}
}

// Recall moves the entry under key from the bag to dst, and reports whether it did. It requires
// that the entry reads as a T without loss: it has the right JSON type, its names match exactly,
// and no name is repeated. Members that an object of T lacks go to that object's own property
// bag, under their names. If the object has no bag, or the bag has such an entry, they would be
// lost. Then Recall changes neither the bag nor dst. A null is not a value and stays in the bag.
func Recall[T any](b *runtime.PropertyBag, key string, dst *T) bool {
	if !Peek(*b, key, dst) {
		return false
	}
	bag.Set(b, key, nil)
	return true
}

// RecallMembers is [Recall] for the additional members of an open object. An entry without
// members stays in the bag, because such an object has no map.
func RecallMembers[V any](b *runtime.PropertyBag, key string, dst *map[string]V) bool {
	var members map[string]V
	if !Peek(*b, key, &members) || len(members) == 0 {
		return false
	}
	bag.Set(b, key, nil)
	*dst = members
	return true
}

// Peek is [Recall], but leaves the entry in the bag.
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

// bagIn returns the property bag of an object, and nil if its type has none.
func bagIn(object any) *runtime.PropertyBag {
	field := reflect.ValueOf(object).Elem().FieldByName("PropertyBag")
	if !field.IsValid() {
		return nil
	}
	bag, _ := field.Addr().Interface().(*runtime.PropertyBag)
	return bag
}
