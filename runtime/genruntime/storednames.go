package genruntime

import (
	"reflect"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// A key of a map may be the name of a member in another version of the schema. So storage types
// have such keys in their stored form: a key that a reader could take for that of the property
// bag has one more $. Only the additional members of an open object have the names of the API in
// Go. [MarshalOpen] and [UnmarshalOpen] convert those.

// StoredKeys converts the keys of a map, or of lists and maps of maps, from an API type to their
// stored form. It returns value itself if no key changes.
func StoredKeys[T any](value T) T { return withKeys(value, bag.StoredName) }

// APIKeys is [StoredKeys] in the other direction.
func APIKeys[T any](value T) T { return withKeys(value, bag.APIName) }

// StoredMembers is [StoredKeys] for the values of additional members of an open object. The names
// of these members do not change.
func StoredMembers[V any](members map[string]V) map[string]V {
	return withKeysIn(members, bag.StoredName)
}

// APIMembers is [StoredMembers] in the other direction.
func APIMembers[V any](members map[string]V) map[string]V { return withKeysIn(members, bag.APIName) }

func withKeysIn[V any](members map[string]V, rename func(string) string) map[string]V {
	changes := false
	for _, value := range members {
		changes = changes || hasRenamedIn(reflect.ValueOf(value), rename)
	}
	if !changes {
		return members
	}
	out := make(map[string]V, len(members))
	for name, value := range members {
		out[name] = withKeys(value, rename)
	}
	return out
}

// MapToStorage is [MapTo] from an API type to a storage type. It also converts the keys to their
// stored form.
func MapToStorage[S, D any](dst *map[string]D, src map[string]S, convert func(*S, *D) error) error {
	err := MapTo(dst, src, convert)
	*dst = renamedKeys(*dst, bag.StoredName)
	return err
}

// MapFromStorage is [MapFrom] from a storage type to an API type. It also converts the keys back
// from their stored form.
func MapFromStorage[S, D any](dst *map[string]D, src map[string]S, convert func(*D, *S) error) error {
	err := MapFrom(dst, src, convert)
	*dst = renamedKeys(*dst, bag.APIName)
	return err
}

func withKeys[T any](value T, rename func(string) string) T {
	switch m := any(value).(type) {
	case map[string]string:
		return any(renamedKeys(m, rename)).(T)
	case map[string]runtime.JSON:
		return any(renamedKeys(m, rename)).(T)
	}
	v := reflect.ValueOf(&value).Elem()
	if hasRenamedIn(v, rename) {
		v.Set(renamedIn(v, rename))
	}
	return value
}

// renamedKeys returns a copy of m with renamed keys, or m itself if no key changes. If a renamed
// key equals another key, the value of the renamed one wins.
func renamedKeys[M ~map[string]V, V any](m M, rename func(string) string) M {
	if !hasRenamed(m, rename) {
		return m
	}
	out := make(M, len(m))
	for key, value := range m {
		if _, taken := out[rename(key)]; !taken || rename(key) != key {
			out[rename(key)] = value
		}
	}
	return out
}

func hasRenamed[M ~map[string]V, V any](m M, rename func(string) string) bool {
	for key := range m {
		if rename(key) != key {
			return true
		}
	}
	return false
}

// hasRenamedIn is hasRenamed for lists and maps of maps.
func hasRenamedIn(v reflect.Value, rename func(string) string) bool {
	switch s := shape.Of(v.Type()); s.Kind {
	case shape.List:
		for i := range v.Len() {
			if hasRenamedIn(v.Index(i), rename) {
				return true
			}
		}
	case shape.Map:
		for entries := v.MapRange(); entries.Next(); {
			if key := entries.Key().String(); rename(key) != key || s.Elem.IsCollection() && hasRenamedIn(entries.Value(), rename) {
				return true
			}
		}
	}
	return false
}

// renamedIn is renamedKeys for lists and maps of maps. It copies them.
func renamedIn(v reflect.Value, rename func(string) string) reflect.Value {
	switch s := shape.Of(v.Type()); {
	case s.Kind == shape.List && s.Elem.IsCollection() && !v.IsNil():
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(renamedIn(v.Index(i), rename))
		}
		return out
	case s.Kind == shape.Map && !v.IsNil():
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for entries := v.MapRange(); entries.Next(); {
			was := entries.Key().String()
			key := reflect.ValueOf(rename(was)).Convert(v.Type().Key())
			if !out.MapIndex(key).IsValid() || key.String() != was {
				out.SetMapIndex(key, renamedIn(entries.Value(), rename))
			}
		}
		return out
	}
	return v
}
