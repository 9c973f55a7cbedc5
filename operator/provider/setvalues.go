package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stratakube/strata/operator/plugin/fieldpath"
	"github.com/stratakube/strata/runtime"
)

// SetValues writes values into the body of a spec, and returns the new body. Paths and types are
// those of the spec. It reports all values that do not fit at once, without the values.
func SetValues(body []byte, spec runtime.ConvertibleSpec, names Names, secrets SecretPaths, values []Value) ([]byte, error) {
	if len(values) == 0 {
		return body, nil
	}
	root, err := decodeAny(body)
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	object, is := root.(map[string]any)
	if !is {
		return nil, errors.New("read the body: it is no object")
	}
	var wrong []error
	for _, value := range values {
		if err := give(object, spec, names, secrets, value); err != nil {
			wrong = append(wrong, fmt.Errorf("spec.configMapRefs: path %s: %w", value.Path, err))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return marshal(object)
}

func give(body map[string]any, spec runtime.ConvertibleSpec, names Names, secrets SecretPaths, value Value) error {
	path, err := fieldpath.Parse(value.Path)
	switch {
	case err != nil:
		return err
	case slices.Contains(AddedMembers(spec), path[0].Name):
		return errors.New("it is no property of the resource")
	case secrets.Meets(path):
		return errors.New("it is a secret, or has one in it: name a Secret in spec.secretRefs")
	}
	t, err := typeAt(reflect.TypeOf(spec), path)
	if err != nil {
		return err
	}
	literal, err := literalOf(t, string(value.Value))
	if err != nil {
		return err
	}
	if external, has := names[path[0].Name]; has {
		path[0].Name = external
	}
	return fieldpath.Set(body, path, literal)
}

// freeJSON is the type of values that no schema describes.
var freeJSON = reflect.TypeFor[runtime.JSON]()

// typeAt returns the type at a path within another type.
func typeAt(t reflect.Type, path fieldpath.Path) (reflect.Type, error) {
	for i, step := range path {
		t = valueOf(t)
		var inside reflect.Type
		switch {
		case t == freeJSON:
			return t, nil
		case t.Kind() == reflect.Slice && step.Name == "", t.Kind() == reflect.Map && step.Name != "":
			inside = t.Elem()
		case t.Kind() == reflect.Struct && step.Name != "":
			inside, _ = memberOf(t, step.Name)
		}
		if inside == nil {
			return nil, fmt.Errorf("the version has no %s", path[:i+1])
		}
		t = inside
	}
	return valueOf(t), nil
}

func valueOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// memberOf returns the type of a member of a generated struct, and whether the schema names it.
// For other names it returns the type of additional members; nil if there are none.
func memberOf(t reflect.Type, name string) (additional reflect.Type, isNamed bool) {
	for i := range t.NumField() {
		field := t.Field(i)
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case tag == name:
			return field.Type, true
		case field.Name == "AdditionalProperties" && field.Type.Kind() == reflect.Map:
			additional = field.Type.Elem()
		}
	}
	return additional, false
}

// literalOf returns a text as a value of a type. Its errors do not contain the text.
func literalOf(t reflect.Type, text string) (any, error) {
	number := strings.TrimSpace(text)
	switch {
	case !utf8.ValidString(text):
		return nil, errors.New("the value is not UTF-8")
	case t == freeJSON, t.Kind() == reflect.String:
		return text, nil
	case t.Kind() == reflect.Int64:
		if _, err := strconv.ParseInt(number, 10, 64); err != nil || !json.Valid([]byte(number)) {
			return nil, errors.New("the value is no whole number")
		}
	case t.Kind() == reflect.Float64:
		if _, err := strconv.ParseFloat(number, 64); err != nil || !json.Valid([]byte(number)) {
			return nil, errors.New("the value is no number")
		}
	case t.Kind() == reflect.Bool:
		if number != "true" && number != "false" {
			return nil, errors.New("the value is neither true nor false")
		}
		return number == "true", nil
	default:
		return nil, errors.New("only texts, numbers and truth values can be given")
	}
	return json.Number(number), nil
}
