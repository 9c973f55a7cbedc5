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
		inner, err := c.node(f.Type)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if isTexts(f.Type) {
			inner = &texts{of: f.Type, least: 1} // its JSON cannot tell empty from absent
		}
		n.fields = append(n.fields, field{name: f.Name, offset: f.Offset, node: inner})
	}
	return n, nil
}

func isPropertyBag(f reflect.StructField) bool {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name == "$propertyBag" && f.Type.Kind() == reflect.Map
}

// propertyBag is a map that is never empty, since an emptied bag is an absent one.
func (c *compiler) propertyBag(of reflect.Type) (node, error) {
	n, err := c.node(of)
	if bag, ok := n.(*dict); ok {
		filled := *bag
		filled.least = 1
		return &filled, err
	}
	return n, err
}
