package conformance

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

func isFree(t reflect.Type) bool {
	return isBytes(t) && t.Implements(jsonMarshaler) && reflect.PointerTo(t).Implements(jsonUnmarshaler)
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

func isClock(t reflect.Type) bool {
	if t.Kind() == reflect.Struct && t.NumField() == 1 {
		t = t.Field(0).Type
	}
	return t == reflect.TypeFor[time.Time]()
}

// isSelfEncoded reports whether a type has its own methods to write and read JSON, and is not a
// generated type.
func isSelfEncoded(of reflect.Type) bool {
	p := reflect.PointerTo(of)
	if !p.Implements(jsonMarshaler) || !p.Implements(jsonUnmarshaler) || p.Implements(rooted) || of.Kind() == reflect.Pointer {
		return false
	}
	if of.Kind() != reflect.Struct {
		return true
	}
	_, open := of.FieldByName("AdditionalProperties")
	return !open
}

var (
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// rooted is implemented by API roots that have the members of the spec at the root of their JSON.
var rooted = reflect.TypeFor[interface{ SpecAtRoot() }]()

// isStorage reports whether objects of a type, or objects within them, have property bags.
func isStorage(of reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[of] || strings.HasPrefix(of.PkgPath(), "k8s.io/") {
		return false
	}
	seen[of] = true
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return isStorage(of.Elem(), seen)
	case reflect.Struct:
	default:
		return false
	}
	for i := range of.NumField() {
		if f := of.Field(i); isBag(f) || isStorage(f.Type, seen) {
			return true
		}
	}
	return false
}

// isBag reports whether a field is a property bag, and not a property with the same name.
func isBag(f reflect.StructField) bool {
	return jsonName(f) == bagName && f.Type.Kind() == reflect.Map && f.Type.Name() == "PropertyBag"
}

// statusBag is the field of API types that stores hidden values.
const statusBag = "Status.PropertyBag"

// isTypeMeta reports whether a field of a struct stores its apiVersion or kind. Storage types that
// no cluster persists have fields of these names beside ObjectMeta. Other roots embed both.
func isTypeMeta(of reflect.Type, f reflect.StructField) bool {
	if f.Name == "APIVersion" || f.Name == "Kind" {
		meta, isRoot := of.FieldByName("ObjectMeta")
		return isRoot && isObjectMeta(meta)
	}
	return f.Anonymous && f.Type.Kind() == reflect.Struct && f.Type.Name() == "TypeMeta"
}

func isObjectMeta(f reflect.StructField) bool {
	return f.Name == "ObjectMeta" && f.Type.Kind() == reflect.Struct && f.Type.Name() == "ObjectMeta"
}

// metaFields are the metadata fields that a webhook may read or change, and the generation.
var metaFields = []string{"Name", "Namespace", "Labels", "Annotations", "Generation"}

// isPrivate reports whether a field is not part of the JSON of its struct.
func isPrivate(f reflect.StructField) bool {
	return !f.IsExported() && !f.Anonymous && f.Tag.Get("json") == "" || jsonName(f) == "-" && f.Name != "AdditionalProperties"
}

// jsonName returns the JSON name of a field. It is empty for an embedded struct, and - for the
// additional members of an open object.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// keysOf returns the keys in a storage type's tag, as in strata:"key=a,b".
func keysOf(f reflect.StructField) []string {
	for option := range strings.SplitSeq(f.Tag.Get("strata"), ";") {
		if keys, found := strings.CutPrefix(option, "key="); found {
			return strings.Split(keys, ",")
		}
	}
	return nil
}
