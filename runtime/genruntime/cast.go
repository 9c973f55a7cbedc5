package genruntime

import (
	"fmt"
	"reflect"
	"unsafe"
)

// CastList gives a list of enums as a list of their base type, or back, sharing its memory: []Mood
// as []string, and [][]Mood as [][]string. It panics, whatever the list holds, when the types
// differ in more than their names: that is a mistake in the calling code.
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

// isCastable reports whether two types are the same but for the names of the scalars in them.
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
