package genruntime

import "reflect"

// deepCopy copies a value of a generated type. Such types consist of pointers, lists, maps and
// structs.
func deepCopy[T any](in *T) *T {
	out := new(T)
	copyValue(reflect.ValueOf(out).Elem(), reflect.ValueOf(in).Elem())
	return out
}

func copyValue(dst, src reflect.Value) {
	switch src.Kind() {
	case reflect.Pointer:
		if !src.IsNil() {
			dst.Set(reflect.New(src.Type().Elem()))
			copyValue(dst.Elem(), src.Elem())
		}
	case reflect.Slice:
		if !src.IsNil() {
			dst.Set(reflect.MakeSlice(src.Type(), src.Len(), src.Len()))
			for i := range src.Len() {
				copyValue(dst.Index(i), src.Index(i))
			}
		}
	case reflect.Map:
		if !src.IsNil() {
			dst.Set(reflect.MakeMapWithSize(src.Type(), src.Len()))
			for key, value := range src.Seq2() {
				entry := reflect.New(src.Type().Elem()).Elem()
				copyValue(entry, value)
				dst.SetMapIndex(key, entry)
			}
		}
	case reflect.Struct:
		dst.Set(src)
		for i := range src.NumField() {
			if dst.Field(i).CanSet() {
				copyValue(dst.Field(i), src.Field(i))
			}
		}
	default:
		dst.Set(src)
	}
}

// skeleton returns a copy of an object that has only the objects within it, and none of their other
// members.
func skeleton[T any](value *T) *T {
	out := new(T)
	copyObjects(reflect.ValueOf(out).Elem(), reflect.ValueOf(value).Elem())
	return out
}

func copyObjects(dst, src reflect.Value) {
	switch src.Kind() {
	case reflect.Pointer:
		if !src.IsNil() && src.Type().Elem().Kind() == reflect.Struct {
			dst.Set(reflect.New(src.Type().Elem()))
			copyObjects(dst.Elem(), src.Elem())
		}
	case reflect.Struct:
		for i := range src.NumField() {
			if dst.Field(i).CanSet() {
				copyObjects(dst.Field(i), src.Field(i))
			}
		}
	case reflect.Slice:
		if !src.IsNil() && src.Type().Elem().Kind() == reflect.Struct {
			dst.Set(reflect.MakeSlice(src.Type(), src.Len(), src.Len()))
			for i := range src.Len() {
				copyObjects(dst.Index(i), src.Index(i))
			}
		}
	case reflect.Map:
		if !src.IsNil() && src.Type().Elem().Kind() == reflect.Struct {
			dst.Set(reflect.MakeMapWithSize(src.Type(), src.Len()))
			for key, value := range src.Seq2() {
				entry := reflect.New(src.Type().Elem()).Elem()
				copyObjects(entry, value)
				dst.SetMapIndex(key, entry)
			}
		}
	}
}
