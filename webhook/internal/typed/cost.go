package typed

import (
	"bytes"
	"reflect"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
)

// textFactor is how many bytes a step takes for each byte of an object, beside Go values. The tests
// of memory in package runtime check it.
const textFactor = 16

// recounted is the cost of Go values from which Cost looks at the types of an object. That takes
// longer, but brackets in texts and in free JSON do not count then.
const recounted = 16 << 20

// entrySize is the memory that an entry of a map takes in each step, beside its text.
const entrySize = 96

// Cost returns how many bytes the conversion of an object uses at most: for its text, for the Go
// value of each of its objects and lists, and for the entries of property bags. A list of empty
// objects costs one struct each, however short its JSON is. A write of an object with hidden values
// may take further steps, to decide the original version.
func (c *converter) Cost(object []byte) int64 {
	cost := textFactor * int64(c.Steps()) * int64(len(object))
	values := c.container * int64(bytes.Count(object, []byte{'{'})+bytes.Count(object, []byte{'['}))
	if values > recounted {
		count, entries := containers(object, c.root)
		values = c.container*count + entrySize*int64(c.Steps())*entries
	}
	if bytes.Contains(object, bagName) || bytes.Contains(object, annotationName) { // as a member, or in the text of a status bag
		cost += entrySize * int64(c.Steps()) * int64(bytes.Count(object, []byte{':'}))
		// values has the types of several steps: less than half of them takes as much.
		cost += int64(c.decisions)*textFactor*int64(len(object)) + int64(c.decisions)/2*values
	}
	return cost + values
}

// bagName ends the names of property bags, and of status bags. One of these has an entry at most
// for each colon in it.
var bagName = []byte(`ropertyBag"`)

// annotationName is the name of the annotation that has the bag of kinds without a status
// subresource.
var annotationName = []byte(runtime.BagAnnotation + `"`)

// containerSize returns the largest size of the Go values of one JSON object or list, in all types
// of a conversion together. The types of an API version and of its storage have the same size,
// except for the property bag.
func containerSize(scheme *k8sruntime.Scheme, from, to, hub schema.GroupVersionKind) int64 {
	size := largestOf(scheme, hub)
	for _, of := range []schema.GroupVersionKind{from, to} {
		if of != hub {
			size += 2*largestOf(scheme, of) + pointerSize
		}
	}
	return size
}

func largestOf(scheme *k8sruntime.Scheme, of schema.GroupVersionKind) int64 {
	object, err := scheme.New(of)
	if err != nil {
		return 0
	}
	return largest(reflect.TypeOf(object), map[reflect.Type]bool{})
}

const (
	pointerSize = 8
	// Maps with few entries have room for eight, each with its key. Larger values are behind a
	// pointer.
	slots, slotHead, largestSlot = 8, 24, 128
	mapHead                      = 48
)

// unknownSize returns the size of the property bag with a member that the type of an object lacks.
// It is zero unless the objects of a version may have one. The bag is not in the JSON.
func unknownSize(scheme *k8sruntime.Scheme, from schema.GroupVersionKind) int64 {
	object, err := scheme.New(from)
	if _, isAPI := object.(runtime.Hider); err != nil || isAPI {
		return 0
	}
	return mapSize(reflect.TypeFor[runtime.JSON]())
}

// mapSize returns the size of a map with few entries, without what is behind pointers.
func mapSize(value reflect.Type) int64 {
	return mapHead + slots*(slotHead+min(int64(value.Size()), largestSlot))
}

// largest returns the size of the largest struct, or map with one entry, within a value of a type.
func largest(t reflect.Type, seen map[reflect.Type]bool) (size int64) {
	if seen[t] {
		return 0
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return largest(t.Elem(), seen)
	case reflect.Map:
		return max(mapSize(t.Elem()), int64(t.Elem().Size()), largest(t.Elem(), seen))
	case reflect.Struct:
		size = int64(t.Size())
		for field := range t.Fields() {
			size = max(size, largest(field.Type, seen))
		}
	}
	return size
}
