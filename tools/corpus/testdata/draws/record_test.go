// Package draws prints what the proofs draw.
package draws

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/conformance"
)

// record prints every path at which the proofs of type A draw a value that is neither absent nor empty, by JSON names.
// The objects are those that the generated proofs draw for the resource and the label.
func record[A any](t *testing.T, resource, label string) {
	r := recorder{seen: map[string]bool{}}
	t.Run(label, func(t *testing.T) {
		spoke := conformance.Version(label, func(a, h *A) error {
			r.value(reflect.ValueOf(a).Elem(), "")
			*h = *a
			return nil
		}, func(a, h *A) error {
			*a = *h
			return nil
		})
		conformance.Run(t, conformance.Resource(resource, spoke))
	})
	for _, path := range slices.Sorted(maps.Keys(r.seen)) {
		fmt.Printf("drawn\t%s\t%s\t%s\n", resource, label, path)
	}
}

type recorder struct {
	seen   map[string]bool
	around []reflect.Type
}

// value records what is within a value that is not absent.
func (r *recorder) value(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		r.value(v.Elem(), path)
	case reflect.Struct:
		r.object(v, path)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return // free JSON
		}
		for i := range v.Len() {
			r.inner(v.Index(i), path+"[]")
		}
	case reflect.Map:
		for _, value := range v.Seq2() {
			r.inner(value, path+"{}")
		}
	}
}

func (r *recorder) inner(v reflect.Value, path string) {
	r.seen[path] = true
	r.value(v, path)
}

// object records the fields of a struct, but not of one within itself. A field without a name in JSON holds the
// members that have no field.
func (r *recorder) object(v reflect.Value, path string) {
	if slices.Contains(r.around, v.Type()) {
		return
	}
	r.around = append(r.around, v.Type())
	for field, value := range v.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "" || !field.IsExported() || value.IsZero() || isEmpty(value):
		case name == "-":
			r.value(value, path)
		case path == "":
			r.inner(value, name)
		default:
			r.inner(value, path+"."+name)
		}
	}
	r.around = r.around[:len(r.around)-1]
}

func isEmpty(v reflect.Value) bool {
	return (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0
}
