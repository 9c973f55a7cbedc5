package runtime

import "maps"

// PropertyBag holds, by key, the values that another version has and the type at hand cannot express. Its values
// are plain JSON.
type PropertyBag map[string]JSON

// Clone returns a bag of its own with the same, shared values; of an empty bag, nil. Conversions clone the bag of
// their source before they change it.
func (b PropertyBag) Clone() PropertyBag {
	if len(b) == 0 {
		return nil
	}
	return maps.Clone(b)
}

// DeepCopy returns a copy that shares no memory. Nil stays nil, and empty stays empty.
func (b PropertyBag) DeepCopy() PropertyBag {
	out := maps.Clone(b)
	for key, value := range out {
		out[key] = value.DeepCopy()
	}
	return out
}

// DeepCopyInto makes out a copy that shares no memory.
func (b PropertyBag) DeepCopyInto(out *PropertyBag) { *out = b.DeepCopy() }

// Stash puts the JSON of value, which is a pointer, a list, a map or JSON, under key. An absent value changes nothing:
// an entry that is there is of a time when the value was called otherwise, or of something else that wrote it. So does a
// value that JSON cannot express, which no API server holds. The bag is made when it is needed. Free JSON is shared, not
// copied.
func Stash[T any](bag *PropertyBag, key string, value T) {
	if data := encode(value); data != nil {
		setEntry(bag, key, data)
	}
}

// Recall takes the entry under key out of the bag and into dst, and reports whether it did. It does so only when the
// entry reads as a T without any loss: of the right kind of JSON, names spelled exactly, and once. Members that an
// object of T lacks go to that object's own property bag, under their names; where it has none, or has such an entry,
// they would be lost. If anything would be, Recall changes neither bag nor dst. A null is no value and stays where
// it is.
func Recall[T any](bag *PropertyBag, key string, dst *T) bool {
	if !Peek(*bag, key, dst) {
		return false
	}
	setEntry(bag, key, nil)
	return true
}

// RecallMembers is [Recall] for the further members of an open object. Without any, such an object has no map of them,
// so an entry without any stays where it is.
func RecallMembers[V any](bag *PropertyBag, key string, dst *map[string]V) bool {
	var members map[string]V
	if !Peek(*bag, key, &members) || len(members) == 0 {
		return false
	}
	setEntry(bag, key, nil)
	*dst = members
	return true
}

// Peek is [Recall] without taking the entry out of the bag.
func Peek[T any](bag PropertyBag, key string, dst *T) bool {
	entry, found := bag[key]
	if !found {
		return false
	}
	var value T
	if !decodeExactly(entry, &value) {
		return false
	}
	*dst = value
	return true
}

// setEntry sets the value under a key of a bag, which is made when it is needed. Nil removes the entry, and an empty bag.
func setEntry(bag *PropertyBag, key string, value JSON) {
	switch {
	case value != nil && *bag == nil:
		*bag = PropertyBag{key: value}
	case value != nil:
		(*bag)[key] = value
	default:
		delete(*bag, key)
		if len(*bag) == 0 {
			*bag = nil
		}
	}
}
