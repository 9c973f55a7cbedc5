package genruntime

import (
	"reflect"
	"sync"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// isSameValue reports whether two values of a type have the same JSON. The order of members does
// not count: the API server sorts those of free JSON.
func isSameValue(a, b any) bool {
	return reflect.DeepEqual(a, b) || jsontext.IsSame(jsontext.Encode(a), jsontext.Encode(b))
}

// typeFact stores, by type, whether its values can contain a value of a type for which is returns
// true. Property bags do not count.
type typeFact struct {
	is    func(reflect.Type) bool
	known sync.Map // reflect.Type -> bool
}

func (f *typeFact) holds(t reflect.Type) bool {
	if known, ok := f.known.Load(t); ok {
		return known.(bool)
	}
	holds := f.reaches(t, map[reflect.Type]bool{})
	f.known.Store(t, holds)
	return holds
}

// reaches reports whether t is or contains a type that satisfies f. Seen has the types that enclose
// t, or were examined before it.
func (f *typeFact) reaches(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] || t == reflect.TypeFor[runtime.PropertyBag]() {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return f.is(t) || f.reaches(t.Elem(), seen)
	case reflect.Struct:
		for field := range t.Fields() {
			if field.IsExported() && f.reaches(field.Type, seen) {
				return true
			}
		}
	}
	return false
}

// freeTypes stores, by type, whether its values can have free JSON that sortFree sorts.
var freeTypes = typeFact{is: func(t reflect.Type) bool { return t == reflect.TypeFor[runtime.JSON]() }}

// hasFree reports whether sortFree can change values of a type.
func hasFree(t reflect.Type) bool { return freeTypes.holds(t) }

// sortFree sorts the members of all free JSON in a value, which must share no memory. It skips
// property bags: in API objects they are in a string, which API servers do not sort.
func sortFree(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			sortFree(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				sortFree(f)
			}
		}
	case reflect.Slice:
		if text, free := v.Addr().Interface().(*runtime.JSON); free {
			*text = jsontext.Sorted(*text)
			return
		}
		for i := range v.Len() {
			sortFree(v.Index(i))
		}
	case reflect.Map:
		if v.Type() == reflect.TypeFor[runtime.PropertyBag]() {
			return
		}
		for entries := v.MapRange(); entries.Next(); {
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(entries.Value())
			sortFree(value)
			v.SetMapIndex(entries.Key(), value)
		}
	}
}
