package conformance

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

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

// metaFields are what a webhook may find in the metadata of an object and change, and the
// generation.
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
		n.fields = append(n.fields, field{name: f.Name, tag: jsonName(f), offset: f.Offset, node: inner})
	}
	return n, nil
}

// metaField makes maps that are never empty: their JSON cannot tell empty from absent.
func (c *compiler) metaField(of reflect.Type) (node, error) {
	if of.Kind() == reflect.Map {
		return c.newDict(of, filledDict)
	}
	return c.node(of)
}

// sortOf reports how a map is drawn. An emptied property bag is an absent one, and so are no
// further members of an object, which stand beside the others in its JSON.
func sortOf(f reflect.StructField) dictSort {
	name := jsonName(f)
	switch {
	case f.Type.Kind() != reflect.Map:
		return anyDict
	case isBag(f):
		return rareDict
	case name == "-" && f.Name == "AdditionalProperties":
		return filledDict
	default:
		return anyDict
	}
}

// jsonName is the name of a field in JSON: none for a struct that is written as part of the one
// around it, and - for the further members of an open object.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
