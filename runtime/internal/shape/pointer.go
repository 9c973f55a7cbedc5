package shape

import (
	"reflect"
	"unsafe"
)

// Pointee returns the type that pointers point to, through as many of them as said; nil for what is
// no such pointer.
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

// Address returns where a pointer points to; nil for what is none.
func Address(pointer any) unsafe.Pointer {
	if v := reflect.ValueOf(pointer); v.Kind() == reflect.Pointer {
		return v.UnsafePointer()
	}
	return nil
}
