package shape

import (
	"reflect"
	"unsafe"
)

// Pointee returns the type behind the given number of pointers, and nil if pointer has another
// type.
func Pointee(pointer any, times int) reflect.Type {
	t := reflect.TypeOf(pointer)
	for range times {
		if t == nil || t.Kind() != reflect.Pointer {
			return nil
		}
		t = t.Elem()
	}
	return t
}

// Address returns the address in a pointer, and nil for other values.
func Address(pointer any) unsafe.Pointer {
	if v := reflect.ValueOf(pointer); v.Kind() == reflect.Pointer {
		return v.UnsafePointer()
	}
	return nil
}
