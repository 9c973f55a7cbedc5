package conformance

import (
	"reflect"
	"unsafe"
)

// node is one type in a program.
type node interface {
	// draw sets the zero value at p. It reports whether it put anything there: not when a value
	// that may be absent is, nor when a list or map is empty. With must, the value may be empty,
	// but not absent.
	draw(d *drawer, p unsafe.Pointer, must bool) bool
	// equal compares the values at a and b, and notes in c where and how they differ.
	equal(c *comparison, a, b unsafe.Pointer) bool
	// clone makes all that lies behind the value at p, and that edits change in place, memory of
	// its own.
	clone(p unsafe.Pointer)
	// within calls visit for the outermost objects that the value at p holds, in an order that is
	// always the same. It reports whether the value is neither absent nor empty. What visit changes
	// in the values of a map may be lost.
	within(p unsafe.Pointer, visit func(object unsafe.Pointer)) bool
}

// drawer draws the values of one object after the other.
type drawer struct {
	random
	// budget is how many more values the object at hand may have. Objects stay small, whatever
	// their type could hold; which of its properties they have changes from case to case.
	budget int
	// absent is how many of 256 optional values stay absent.
	absent uint64
	// target is the fields, one within the other, that the object at hand must have.
	target []*field
	// visible leaves out the fields that conversions may change.
	visible bool
	// chunk is where the text of drawn strings lies. What was written there is never changed.
	chunk []byte
}

// object is a struct.
type object struct {
	of     reflect.Type
	fields []field
	// open is how many values of this type are being drawn, one within the other.
	open int
}

// field is a field of a struct.
type field struct {
	name   string // Go's
	tag    string // JSON's
	offset uintptr
	node   node
	// ignored fields are left out when an object is compared with what its conversions made of it.
	ignored bool
	// hidden fields hold what users do not see: property bags and the original version.
	hidden bool
	// always fields are never absent.
	always bool
	// inline fields are embedded structs, whose members are those of the object around them.
	inline bool
	// keys are the members that identify the elements of a list, where its schema names some.
	keys []string
	// rare fields need more cases to be drawn.
	rare bool
	// retyped fields have another type in another version, which brings free JSON back in another
	// spelling.
	retyped bool
	// drawn is how often the field was more than absent or empty.
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

// sliceHeader is how Go stores a slice.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// emptyList is where lists without elements point to, since nil is an absent one.
var emptyList = unsafe.Pointer(new(struct{}))

// dictSort is how often a map is drawn, and with how many entries.
type dictSort int

const (
	// anyDict may be absent, empty or more.
	anyDict dictSort = iota
	// filledDict is never empty: its JSON, or a conversion, does not distinguish that from absent.
	filledDict
	// rareDict is never empty either, and seldom there: every object of a storage type has one.
	rareDict
)

// dict is a map by strings.
type dict struct {
	of   reflect.Type
	elem node
	slab *slab
	sort dictSort
	// stored is set for maps of storage types, whose keys are names in storage.
	stored bool
	furthers
}

// plainDict is a map from strings to values that lie in memory as a V does: the commonest maps,
// those of text and of free JSON, need no reflection.
type plainDict[V any] struct {
	of   reflect.Type
	elem node
	sort dictSort
	// stored is set for maps of storage types, whose keys are names in storage.
	stored bool
	furthers
}

// mapping is a plainDict of any sort.
type mapping interface {
	node
	keys(p unsafe.Pointer) []string
	// put sets the entry under key to a new value, drawn.
	put(d *drawer, p unsafe.Pointer, key string)
	remove(p unsafe.Pointer, key string)
	// alter changes one value within the entry under key, and reports whether it could.
	alter(d *drawer, p unsafe.Pointer, key string) bool
	// newKey returns a key for a new entry.
	newKey(d *drawer) string
	// sorted is how the map is drawn.
	sorted() dictSort
}

// furthers are the properties that other versions name where an object is open: its additional
// members of these names are the same properties.
type furthers struct {
	all []further
	// taken are the properties of the object itself, which its additional members cannot be called
	// like.
	taken []string
}

// further is a property of another version.
type further struct {
	name string
	of   reflect.Type
}

// plain is a value without anything within that edits change in place.
type plain struct{}

// scalar is a type of Go's whose values are compared with ==.
type scalar[T comparable] struct {
	plain
	of   reflect.Type
	next func(d *drawer) T
}

// clock is time.Time, or a struct around nothing but one: whole seconds, which is what Kubernetes
// writes.
type clock struct {
	plain
	of reflect.Type
}

// blob is a list of bytes that JSON writes as base64.
type blob struct {
	plain
	of reflect.Type
}

// encoded is a type with methods for its JSON, such as a quantity. Its values are read from
// samples.
type encoded struct {
	plain
	of      reflect.Type
	samples [][]byte
}

// free is free JSON: bytes that write and read themselves. Absent is nil.
type free struct {
	plain
	of reflect.Type
}

// bagEntry is free JSON that is compared by value: an entry of a property bag, which conversions
// may read and write again. What an object within has in a bag of its own counts as a member of it.
type bagEntry struct{ free }

// furtherEntry is free JSON that is compared by value: an additional member, which another version
// may have under a type.
type furtherEntry struct{ free }
