package typed

import (
	"bytes"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
)

// textFactor is how many bytes are in use for each byte of an object, beside Go values. The tests
// of memory in package runtime check it.
const textFactor = 16

// recounted is the cost of Go values from which Cost looks at the types of an object. That takes
// longer, but brackets in texts and in free JSON do not count then.
const recounted = 16 << 20

// entrySize is the memory that an entry of a map takes in the types of a step, beside its text.
const entrySize = 96

// Cost returns how many bytes the conversion of an object has in use at most: for its text, for the
// Go value of each of its objects and lists, and for the entries of property bags. A list of empty
// objects costs one struct each, however short its JSON is. A write of an object with hidden values
// may take further steps, to decide the original version.
func (c *converter) Cost(object []byte) int64 {
	cost := textFactor * int64(len(object))
	values := c.sizes.most() * int64(bytes.Count(object, []byte{'{'})+bytes.Count(object, []byte{'['}))
	if values > recounted {
		count := containers(object, c.root, c.expected())
		values = c.sizes.of(count) + entrySize*int64(c.Steps())*count.entries
	}
	if bytes.Contains(object, bagName) || bytes.Contains(object, annotationName) { // as a member, or in the text of a status bag
		cost += entrySize * int64(c.Steps()) * int64(bytes.Count(object, []byte{':'}))
		// A decision converts to each of two versions, and back.
		cost += int64(c.decisions) / 2 * (textFactor*int64(len(object)) + values)
	}
	return cost + values
}

// bagName ends the names of property bags, and of status bags. One of these has an entry at most
// for each colon in it.
var bagName = []byte(`ropertyBag"`)

// annotationName is the name of the annotation that has the bag of kinds without a status
// subresource.
var annotationName = []byte(runtime.BagAnnotation + `"`)

// containerSizes are the largest sizes of the Go values of one JSON object or list, in all types of
// a conversion together, by where the object or list is. Steps change where a value is within its
// element of a list or map, and bring no value from outside into all elements. So what is in
// elements needs the types of elements only, which are usually much smaller than those around.
type containerSizes struct {
	root     int64 // the object itself
	metadata int64 // in its metadata
	single   int64 // in other objects that occur once
	repeated int64 // in the elements of lists and maps, and in types that contain themselves
	bags     int64 // of property bags with one entry, for an object or list that hides values
}

// sizesOf returns the sizes for a conversion. The types of an API version and of its storage have
// the same size, except for the property bag. The values of a first step count beside those of the
// second one: they are garbage, which the collector may not have found.
func sizesOf(scheme *k8sruntime.Scheme, from, to, hub schema.GroupVersionKind) containerSizes {
	sizes := largestOf(scheme, hub)
	for _, v := range []schema.GroupVersionKind{from, to} {
		if v == hub {
			continue
		}
		s := largestOf(scheme, v)
		sizes.root += 2*s.root + pointerSize
		sizes.metadata += 2 * s.metadata
		sizes.single += 2*s.single + pointerSize
		sizes.repeated += 2*s.repeated + pointerSize
	}
	return sizes
}

// most returns the largest size.
func (s containerSizes) most() int64 {
	return max(s.root, s.metadata, s.single, s.repeated) + s.bags
}

// of returns the size of the Go values of counted objects and lists.
func (s containerSizes) of(c counts) int64 {
	return s.root*c.root + s.metadata*c.metadata + s.single*c.single + s.repeated*c.repeated + s.bags*c.hiding + c.bytes
}

func largestOf(scheme *k8sruntime.Scheme, of schema.GroupVersionKind) containerSizes {
	object, err := scheme.New(of)
	if err != nil {
		return containerSizes{}
	}
	t := reflect.TypeOf(object).Elem()
	inMetadata, inBody := sizer{}, sizer{}
	for field := range t.Fields() {
		if field.Type == metadataType {
			inMetadata.visit(field.Type, false)
		} else {
			inBody.visit(field.Type, false)
		}
	}
	return containerSizes{
		root: int64(t.Size()),
		// Metadata is decoded into lists that grow, and is copied as a whole.
		metadata: metadataFactor * max(inMetadata.single, inMetadata.repeated),
		single:   max(inBody.single, inBody.repeated),
		repeated: inBody.repeated,
	}
}

var metadataType, bagType = reflect.TypeFor[metav1.ObjectMeta](), reflect.TypeFor[runtime.PropertyBag]()

// metadataFactor is how many times lists of metadata are allocated while they are read.
const metadataFactor = 2

const (
	pointerSize = 8
	// Maps with few entries have room for eight, each with its key. Larger values are behind a
	// pointer.
	slots, slotHead, largestSlot = 8, 24, 128
	mapHead                      = 48
)

// bagsSize is the size of property bags with one entry, in the types of a step together: of the
// hub, and of the types of an API version and of its storage.
var bagsSize = 3 * mapSize(reflect.TypeFor[runtime.JSON]())

// expected returns what the types of the conversion tell about an object.
func (c *converter) expected() expected {
	c.expects.once.Do(func() {
		source, others := c.sides()
		c.expects.expected = expectedOf(source, others...)
	})
	return c.expects.expected
}

// mapSize returns the size of a map with few entries, without what is behind pointers.
func mapSize(value reflect.Type) int64 { return mapHead + slots*slotSize(value) }

// slotSize returns the size of a slot of a map.
func slotSize(value reflect.Type) int64 { return slotHead + min(int64(value.Size()), largestSlot) }

// grown is how many slots an entry of a growing map takes: a map doubles its slots when most of
// them are used.
const grown = 4

// sizer finds the largest structs, and maps with one entry, within values of types.
type sizer struct {
	single, repeated int64
	seen             map[sighting]bool // true while a visit lasts
}

// sighting is a type, and whether there may be several of its values.
type sighting struct {
	reflect.Type
	repeated bool
}

// visit considers a value of a type. A type that contains itself may occur any number of times.
func (s *sizer) visit(t reflect.Type, repeated bool) {
	at := sighting{t, repeated}
	lasts, seen := s.seen[at]
	if seen && lasts && !repeated {
		s.visit(t, true)
	}
	if seen {
		return
	}
	if s.seen == nil {
		s.seen = map[sighting]bool{}
	}
	s.seen[at] = true
	defer func() { s.seen[at] = false }()
	switch t.Kind() {
	case reflect.Pointer:
		s.visit(t.Elem(), repeated)
	case reflect.Slice, reflect.Array:
		s.visit(t.Elem(), true)
	case reflect.Map:
		if t == bagType {
			return // containerSizes.bags counts it
		}
		s.add(mapSize(t.Elem()), repeated)
		s.add(max(grown*slotSize(t.Elem()), int64(t.Elem().Size())), true)
		s.visit(t.Elem(), true)
	case reflect.Struct:
		s.add(int64(t.Size()), repeated)
		for field := range t.Fields() {
			s.visit(field.Type, repeated)
		}
	}
}

func (s *sizer) add(size int64, repeated bool) {
	if repeated {
		s.repeated = max(s.repeated, size)
	} else {
		s.single = max(s.single, size)
	}
}
