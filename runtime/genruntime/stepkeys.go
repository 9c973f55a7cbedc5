package genruntime

import (
	"reflect"

	"github.com/stratakube/strata/runtime/internal/bag"
)

// Storage types have some keys of maps in their stored form. Hand-written steps and functions read
// and write the keys that clients use: the runtime converts the objects around each call.

// stepTo returns a step that calls assign by [withAPIKeys], and nil if assign is nil.
func stepTo[F, N any](assign func(*F, *N) error) func(*F, *N) error {
	if assign == nil {
		return nil
	}
	return func(far *F, near *N) error { return withAPIKeys(far, near, assign) }
}

// stepFrom is [stepTo] for a step that completes far.
func stepFrom[F, N any](assign func(*F, *N) error) func(*F, *N) error {
	if assign == nil {
		return nil
	}
	return func(far *F, near *N) error { return withAPIKeysFrom(far, near, assign) }
}

// withAPIKeysFrom is [withAPIKeys] for a step that completes far.
func withAPIKeysFrom[F, N any](far *F, near *N, assign func(*F, *N) error) error {
	if !hasMaps(reflect.TypeFor[F]()) && !hasMaps(reflect.TypeFor[N]()) {
		return assign(far, near)
	}
	return withAPIKeys(near, far, flip(assign))
}

// withAPIKeys calls a step with a source whose maps have the keys of the API. Dst shares no memory:
// withAPIKeys converts its keys in place, and back after the step.
func withAPIKeys[S, D any](src *S, dst *D, assign func(*S, *D) error) error {
	if !hasMaps(reflect.TypeFor[S]()) && !hasMaps(reflect.TypeFor[D]()) {
		return assign(src, dst)
	}
	if bagIn(src) != nil {
		src = apiKeys(src)
	}
	if bagIn(dst) == nil {
		return assign(src, dst)
	}
	if v := reflect.ValueOf(dst).Elem(); hasRenamedWithin(v, bag.APIName) {
		renameWithin(v, bag.APIName)
	}
	if err := assign(src, dst); err != nil {
		return err
	}
	if hasRenamedWithin(reflect.ValueOf(dst).Elem(), bag.StoredName) {
		*dst = *deepCopy(dst) // the step may have taken maps of the source
		renameWithin(reflect.ValueOf(dst).Elem(), bag.StoredName)
	}
	return nil
}

// apiKeys returns a value with the keys of the API: the same value if no key changes.
func apiKeys[T any](value *T) *T {
	if !hasRenamedWithin(reflect.ValueOf(value).Elem(), bag.APIName) {
		return value
	}
	value = deepCopy(value)
	renameWithin(reflect.ValueOf(value).Elem(), bag.APIName)
	return value
}

// storeKeys is apiKeys in the other direction.
func storeKeys[T any](value *T) *T {
	if !hasRenamedWithin(reflect.ValueOf(value).Elem(), bag.StoredName) {
		return value
	}
	value = deepCopy(value)
	renameWithin(reflect.ValueOf(value).Elem(), bag.StoredName)
	return value
}

// hasRenamedWithin is hasRenamed for all maps in a value. The names of additional members of open
// objects do not count: they are those of the API in storage types, too.
func hasRenamedWithin(v reflect.Value, rename func(string) string) bool {
	if !hasMaps(v.Type()) {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && hasRenamedWithin(v.Elem(), rename)
	case reflect.Struct:
		for i, name := range namesOf(v.Type()) {
			field, isOpen := v.Field(i), name == ""
			if isOpen && hasRenamedValues(field, rename) || !isOpen && hasRenamedWithin(field, rename) {
				return true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if hasRenamedWithin(v.Index(i), rename) {
				return true
			}
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if key := entries.Key().String(); rename(key) != key {
				return true
			}
		}
		return hasRenamedValues(v, rename)
	}
	return false
}

// hasRenamedValues is hasRenamedWithin for the values of a map alone.
func hasRenamedValues(v reflect.Value, rename func(string) string) bool {
	if v.Kind() != reflect.Map || !hasMaps(v.Type().Elem()) {
		return false
	}
	for entries := v.MapRange(); entries.Next(); {
		if hasRenamedWithin(entries.Value(), rename) {
			return true
		}
	}
	return false
}

// renameWithin renames the keys of all maps in a value, which shares no memory. If a renamed key
// equals another key, the value of the renamed one wins.
func renameWithin(v reflect.Value, rename func(string) string) {
	if !hasMaps(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			renameWithin(v.Elem(), rename)
		}
	case reflect.Struct:
		for i, name := range namesOf(v.Type()) {
			switch field := v.Field(i); {
			case name != "":
				renameWithin(field, rename)
			case field.Kind() == reflect.Map:
				renameEntries(field, func(name string) string { return name }, rename)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			renameWithin(v.Index(i), rename)
		}
	case reflect.Map:
		renameEntries(v, rename, rename)
	}
}

// renameEntries renames the keys of a map, and those within its values by another function.
func renameEntries(v reflect.Value, name, within func(string) string) {
	if v.IsNil() {
		return
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for entries := v.MapRange(); entries.Next(); {
		was := entries.Key().String()
		key := reflect.ValueOf(name(was)).Convert(v.Type().Key())
		if out.MapIndex(key).IsValid() && key.String() == was {
			continue
		}
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(entries.Value())
		renameWithin(value, within)
		out.SetMapIndex(key, value)
	}
	v.Set(out)
}

// mapTypes stores, by type, whether its values can have maps whose keys storage types rename.
var mapTypes = typeFact{is: func(t reflect.Type) bool { return t.Kind() == reflect.Map && t.Key().Kind() == reflect.String }}

func hasMaps(t reflect.Type) bool { return mapTypes.holds(t) }

// flip exchanges the parameters of a step.
func flip[A, B any](assign func(*A, *B) error) func(*B, *A) error {
	return func(b *B, a *A) error { return assign(a, b) }
}
