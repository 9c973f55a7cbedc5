package genruntime

import (
	"maps"
	"slices"
)

// Copier is a pointer to a type that copies itself deeply, as all generated types do.
type Copier[T any] interface {
	*T
	DeepCopyInto(out *T)
}

// Clone returns a pointer to a copy of a scalar, and nil for nil.
func Clone[T any](in *T) *T {
	if in == nil {
		return nil
	}
	out := *in
	return &out
}

// CloneList returns a copy of a list of scalars. Nil stays nil, and empty stays empty.
func CloneList[T any](in []T) []T {
	return slices.Clone(in)
}

// CloneMap returns a copy of a map of scalars. Nil stays nil, and empty stays empty.
func CloneMap[K comparable, V any](in map[K]V) map[K]V {
	return maps.Clone(in)
}

// CloneListFunc returns a list of the copies that f makes of the elements. CloneListFunc(in,
// CloneList) copies a list of lists. Nil stays nil, and empty stays empty.
func CloneListFunc[T any](in []T, f func(T) T) []T {
	if in == nil {
		return nil
	}
	out := make([]T, len(in))
	for i, element := range in {
		out[i] = f(element)
	}
	return out
}

// CloneMapFunc returns a map of the copies that f makes of the values. Nil stays nil, and empty
// stays empty.
func CloneMapFunc[M ~map[K]V, K comparable, V any](in M, f func(V) V) M {
	if in == nil {
		return nil
	}
	out := make(M, len(in))
	for key, value := range in {
		out[key] = f(value)
	}
	return out
}

// CopyObject returns a deep copy of an object, and nil for nil.
func CopyObject[T any, P Copier[T]](in *T) *T {
	if in == nil {
		return nil
	}
	out := new(T)
	P(in).DeepCopyInto(out)
	return out
}

// CopyList returns a deep copy of a list of objects. Nil stays nil, and empty stays empty.
func CopyList[T any, P Copier[T]](in []T) []T {
	if in == nil {
		return nil
	}
	out := make([]T, len(in))
	for i := range in {
		P(&in[i]).DeepCopyInto(&out[i])
	}
	return out
}

// CopyMap returns a deep copy of a map of objects. Nil stays nil, and empty stays empty.
func CopyMap[T any, P Copier[T]](in map[string]T) map[string]T {
	if in == nil {
		return nil
	}
	out := make(map[string]T, len(in))
	for key, value := range in {
		entry := new(T)
		P(&value).DeepCopyInto(entry)
		out[key] = *entry
	}
	return out
}
