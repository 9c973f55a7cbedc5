package genruntime

import (
	"fmt"
	"reflect"
	"unsafe"
)

// CastList converts a list of enums to a list of their base type, or back: []Mood to []string,
// and [][]Mood to [][]string. The result shares the memory of in. CastList panics if the types
// differ in more than their names, even for an empty list, because the calling code is wrong.
func CastList[D, S any](in []S) []D {
	mustCast[D, S]()
	return *(*[]D)(unsafe.Pointer(&in))
}

// CastMap is [CastList] for the values of a map: map[string]Mood as map[string]string.
func CastMap[D, S any, K comparable](in map[K]S) map[K]D {
	mustCast[D, S]()
	return *(*map[K]D)(unsafe.Pointer(&in))
}

func mustCast[D, S any]() {
	d, s := reflect.TypeFor[D](), reflect.TypeFor[S]()
	if !isCastable(d, s) {
		panic(fmt.Sprintf("strata: %v cannot be cast to %v", s, d))
	}
}

// isCastable reports whether two types differ at most in the names of the scalars in them.
func isCastable(d, s reflect.Type) bool {
	if d == s {
		return true
	}
	if d.Kind() != s.Kind() {
		return false
	}
	switch d.Kind() {
	case reflect.String, reflect.Int64, reflect.Float64, reflect.Bool:
		return true
	case reflect.Pointer, reflect.Slice:
		return isCastable(d.Elem(), s.Elem())
	case reflect.Map:
		return d.Key() == s.Key() && isCastable(d.Elem(), s.Elem())
	default:
		return false
	}
}
