// Package hub measures conversions between API versions and the hub.
package hub

import (
	"encoding/json"
	"reflect"
	"strconv"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// stored is the object of the hub.

type stored[H any] interface {
	*H
	conversion.Hub
	DeepCopy() *H
}

// measure converts an object with all properties that both versions have to the hub and back, with nothing hidden and with five values that
// the version cannot show, beside a deep copy of what is stored.
func measure[A, H any, P interface {
	*A
	conversion.Convertible
}, Q stored[H]](b *testing.B, label string) {
	full := P(new(A))
	fill(reflect.ValueOf(full).Elem(), 2, map[reflect.Type]bool{})
	h := Q(new(H))
	up(b, full, h)
	empty(reflect.ValueOf(h).Elem())
	x := P(new(A))
	down(b, x, h)
	data, err := json.Marshal(h)
	if err != nil {
		b.Fatal(err)
	}
	run := func(name string, f func()) {
		b.Run(label+"/"+name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				f()
			}
		})
	}
	run("deepcopy", func() { _ = h.DeepCopy() })
	run("up", func() { up(b, x, Q(new(H))) })
	run("down", func() { down(b, P(new(A)), h) })
	hide(reflect.ValueOf(h).Elem().FieldByName("Spec").Elem(), 5)
	y := P(new(A))
	down(b, y, h)
	run("hidden-deepcopy", func() { _ = h.DeepCopy() })
	run("hidden-up", func() { up(b, y, Q(new(H))) })
	run("hidden-down", func() { down(b, P(new(A)), h) })
	again := Q(new(H))
	up(b, y, again)
	if !reflect.DeepEqual(again, h) {
		b.Fatalf("%s loses what is hidden", label)
	}
}

func up(b *testing.B, x conversion.Convertible, h conversion.Hub) {
	if err := x.ConvertTo(h); err != nil {
		b.Fatal(err)
	}
}

func down(b *testing.B, x conversion.Convertible, h conversion.Hub) {
	if err := x.ConvertFrom(h); err != nil {
		b.Fatal(err)
	}
}

// hide puts entries into a property bag, which no version knows.
func hide(spec reflect.Value, n int) {
	bag := spec.FieldByName("PropertyBag")
	if bag.IsNil() {
		bag.Set(reflect.MakeMap(bag.Type()))
	}
	for i := range n {
		value := reflect.ValueOf([]byte(`{"name":"hidden","size":` + strconv.Itoa(i) + `}`)).Convert(bag.Type().Elem())
		bag.SetMapIndex(reflect.ValueOf("hidden"+strconv.Itoa(i)), value)
	}
}

// empty removes all property bags.
func empty(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			empty(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			empty(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(v.MapIndex(key))
			empty(value)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			switch v.Type().Field(i).Name {
			case "TypeMeta", "ObjectMeta":
			case "PropertyBag":
				v.Field(i).SetZero()
			default:
				empty(v.Field(i))
			}
		}
	}
}

// fill sets every property, lists and maps to one or two elements; types within themselves are left out.
func fill(v reflect.Value, many int, around map[reflect.Type]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), many, around)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`{"free":[1,"json"]}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), many, many))
		for i := range many {
			fill(v.Index(i), 1, around)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, 1, around)
		v.SetMapIndex(reflect.ValueOf("key"), value)
	case reflect.Struct:
		fillFields(v, many, around)
	case reflect.String:
		v.SetString("a string of usual length")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(12345)
	case reflect.Float64:
		v.SetFloat(1.5)
	}
}

func fillFields(v reflect.Value, many int, around map[reflect.Type]bool) {
	if around[v.Type()] {
		return
	}
	around[v.Type()] = true
	defer delete(around, v.Type())
	for i := range v.NumField() {
		switch v.Type().Field(i).Name {
		case "TypeMeta", "Conditions", "PropertyBag", "Status":
		case "ObjectMeta":
			v.Field(i).FieldByName("Name").SetString("bench")
			v.Field(i).FieldByName("Namespace").SetString("default")
		default:
			fill(v.Field(i), many, around)
		}
	}
}
