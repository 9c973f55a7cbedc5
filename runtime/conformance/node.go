package conformance

import (
	"reflect"
	"unsafe"
)

// node is one type in a program.
type node interface {
	// draw sets the zero value at p. It reports whether the value is present, and not an empty
	// list or map. With must, the value may be empty, but not absent.
	draw(d *drawer, p unsafe.Pointer, must bool) bool
	// equal compares the values at a and b, and records the first difference in c.
	equal(c *comparison, a, b unsafe.Pointer) bool
	// clone copies all memory behind the value at p that edits change in place.
	clone(p unsafe.Pointer)
	// within calls visit for the outermost objects in the value at p, always in the same order.
	// It reports whether the value is neither absent nor empty. Changes of visit to the values of
	// a map may be lost.
	within(p unsafe.Pointer, visit func(object unsafe.Pointer)) bool
}

// drawer draws random objects, one after the other.
type drawer struct {
	random
	// budget is the number of values that the current object may still have. Objects stay small
	// for any type. Which properties they have differs from case to case.
	budget int
	// absent is the number of optional values, of 256, that stay absent.
	absent uint64
	// target is the path of fields that the current object must have.
	target []*field
	// visible omits the fields that conversions may change.
	visible bool
	// chunk is the memory for drawn strings. Written bytes never change.
	chunk []byte
}

// object is a struct.
type object struct {
	of     reflect.Type
	fields []field
	// open is the number of nested values of this type that are being drawn.
	open int
}

// field is a field of a struct.
type field struct {
	name   string // the Go name
	tag    string // the JSON name
	offset uintptr
	node   node
	// ignored fields are not compared after conversions.
	ignored bool
	// hidden fields are property bags and the original version, which users do not see.
	hidden bool
	// always fields are never absent.
	always bool
	// inline fields are embedded structs. Their members are members of the object around them.
	inline bool
	// keys are the members that identify the elements of a list, if its schema names any.
	keys []string
	// rare fields need more cases to be drawn.
	rare bool
	// retyped fields have another type in another version, which may change the spelling of free
	// JSON.
	retyped bool
	// drawn counts the values of the field that were neither absent nor empty.
	drawn int
}

// pointer is a value that may be absent.
type pointer struct {
	of   reflect.Type
	elem node
	slab *slab
}

// list is a slice of any length.
type list struct {
	of   reflect.Type
	elem node
	slab *slab
}

// sliceHeader is the memory layout of a slice.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// emptyList is the data pointer of empty lists; a nil pointer would mean an absent list.
var emptyList = unsafe.Pointer(new(struct{}))

// dictSort determines how often a map is drawn, and with how many entries.
type dictSort int

const (
	// anyDict may be absent or empty.
	anyDict dictSort = iota
	// filledDict is never empty: its JSON, or a conversion, does not distinguish empty from
	// absent.
	filledDict
	// rareDict is never empty either, and usually absent, because every object of a storage type
	// has one.
	rareDict
)

// dict is a map with string keys.
type dict struct {
	of   reflect.Type
	elem node
	slab *slab
	sort dictSort
	// stored means that the map belongs to a storage type, so that its keys are names in storage.
	stored bool
	furthers
}

// plainDict is a map from strings to values with the memory layout of V. The most frequent maps,
// those of strings and of free JSON, need no reflection.
type plainDict[V any] struct {
	of   reflect.Type
	elem node
	sort dictSort
	// stored means that the map belongs to a storage type, so that its keys are names in storage.
	stored bool
	furthers
}

// mapping is a plainDict of any value type.
type mapping interface {
	node
	keys(p unsafe.Pointer) []string
	// put sets the entry under key to a newly drawn value.
	put(d *drawer, p unsafe.Pointer, key string)
	remove(p unsafe.Pointer, key string)
	// alter changes one value within the entry under key, and reports whether it could.
	alter(d *drawer, p unsafe.Pointer, key string) bool
	// newKey returns a key for a new entry.
	newKey(d *drawer) string
	// sorted returns the sort of the map.
	sorted() dictSort
}

// furthers are the properties that other versions name in an open object. Its additional members
// of these names are the same properties.
type furthers struct {
	all []further
	// taken are the names of the object's own properties, which additional members cannot have.
	taken []string
}

// further is a property of another version.
type further struct {
	name string
	of   reflect.Type
}

// plain is embedded by nodes whose values edits replace as a whole.
type plain struct{}

// scalar is a Go type whose values are compared with ==.
type scalar[T comparable] struct {
	plain
	of   reflect.Type
	next func(d *drawer) T
}

// clock is time.Time, or a struct with only a time.Time. It is drawn in whole seconds, as
// Kubernetes writes times.
type clock struct {
	plain
	of reflect.Type
}

// blob is a list of bytes that JSON writes as base64.
type blob struct {
	plain
	of reflect.Type
}

// encoded is a type with its own methods for JSON, such as a quantity. Its values are read from
// samples.
type encoded struct {
	plain
	of      reflect.Type
	samples [][]byte
}

// free is free JSON: bytes that write and read themselves. Nil is absent.
type free struct {
	plain
	of reflect.Type
}

// bagEntry is free JSON that is compared by value: an entry of a property bag, which conversions
// may read and write again. Entries in the bags of objects within it count as members of these
// objects.
type bagEntry struct{ free }

// furtherEntry is free JSON that is compared by value: an additional member, which another
// version may read with a type.
type furtherEntry struct{ free }
