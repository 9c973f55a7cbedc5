package conformance

import (
	"reflect"
	"slices"
	"time"
	"unsafe"
)

// exemplify sets every property of a zero object to a value that contains its name. Lists and
// maps get one entry. A type within itself stays absent.
func exemplify(of reflect.Type, object unsafe.Pointer) {
	e := exemplar{}
	e.fill(reflect.NewAt(of, object).Elem(), "")
}

type exemplar struct{ around []reflect.Type }

// fill sets a value, and reports whether it could.
func (e *exemplar) fill(v reflect.Value, name string) bool {
	switch {
	case isFree(v.Type()):
		v.SetBytes([]byte(`{"` + name + `":"free"}`))
		return true
	case isBytes(v.Type()):
		v.SetBytes([]byte(name))
		return true
	case isClock(v.Type()):
		*(*time.Time)(v.Addr().UnsafePointer()) = time.Date(2019, 9, 9, 0, 0, 0, 0, time.UTC)
		return true
	case isSelfEncoded(v.Type()):
		return newEncoded(v.Type()).(*encoded).first(v)
	case v.Kind() == reflect.Struct:
		return e.fields(v)
	default:
		return e.value(v, name)
	}
}

func (e *exemplar) value(v reflect.Value, name string) bool {
	switch v.Kind() {
	case reflect.String:
		v.SetString(name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Pointer:
		inner := reflect.New(v.Type().Elem())
		if !e.fill(inner.Elem(), name) {
			return false
		}
		v.Set(inner)
	case reflect.Slice:
		inner := reflect.MakeSlice(v.Type(), 1, 1)
		if !e.fill(inner.Index(0), name) {
			return false
		}
		v.Set(inner)
	case reflect.Map:
		inner := reflect.New(v.Type().Elem()).Elem()
		if !e.fill(inner, name) {
			return false
		}
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), inner)
	default:
		return e.integer(v)
	}
	return true
}

func (e *exemplar) integer(v reflect.Value) bool {
	switch {
	case v.CanInt():
		v.SetInt(1)
	case v.CanUint():
		v.SetUint(1)
	}
	return v.CanInt() || v.CanUint()
}

func (e *exemplar) fields(v reflect.Value) bool {
	if slices.Contains(e.around, v.Type()) {
		return false
	}
	e.around = append(e.around, v.Type())
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch {
		case isTypeMeta(v.Type(), f) || f.Name == "PropertyBag":
		case isObjectMeta(f):
			v.Field(i).FieldByName("Name").SetString("exemplar")
		default:
			e.fill(v.Field(i), jsonName(f))
		}
	}
	e.around = e.around[:len(e.around)-1]
	return true
}
