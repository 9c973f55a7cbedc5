package conformance

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

func isTypeMeta(f reflect.StructField) bool {
	return f.Anonymous && f.Type.Kind() == reflect.Struct && f.Type.Name() == "TypeMeta"
}

func isObjectMeta(f reflect.StructField) bool {
	return f.Anonymous && f.Type.Kind() == reflect.Struct && f.Type.Name() == "ObjectMeta"
}

// metaFields are what a webhook may find in the metadata of an object and change, and the generation.
var metaFields = []string{"Name", "Namespace", "Labels", "Annotations", "Generation"}

// objectMeta is an object of those fields alone.
func (c *compiler) objectMeta(of reflect.Type) (node, error) {
	n := &object{}
	for i := range of.NumField() {
		f := of.Field(i)
		if !slices.Contains(metaFields, f.Name) {
			continue
		}
		inner, err := c.metaField(f.Type)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		n.fields = append(n.fields, field{name: f.Name, offset: f.Offset, node: inner})
	}
	return n, nil
}

// metaField makes maps that are never empty: their JSON cannot tell empty from absent.
func (c *compiler) metaField(of reflect.Type) (node, error) {
	if of.Kind() == reflect.Map {
		return c.filled(of)
	}
	return c.node(of)
}

// isFilled tells which maps are never empty, since that is the same as absent: an emptied property bag is, and so are
// further members, which stand beside the others in their object's JSON.
func isFilled(f reflect.StructField) bool {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return f.Type.Kind() == reflect.Map && (name == "$propertyBag" || name == "-" && f.Name == "AdditionalProperties")
}

// filled is a map that is absent or has an entry. Since every object of a storage type has one, it is rare.
func (c *compiler) filled(of reflect.Type) (node, error) { return c.newDict(of, true) }
