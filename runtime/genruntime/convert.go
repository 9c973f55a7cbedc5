package genruntime

import "fmt"

// FirstError returns the first error that is not nil. Go evaluates all arguments first, so that
// all conversions run even if one fails.
func FirstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ObjectTo converts src into a new object at dst with convert, which takes the source first. Nil
// stays nil.
func ObjectTo[S, D any](dst **D, src *S, convert func(*S, *D) error) error {
	if src == nil {
		*dst = nil
		return nil
	}
	*dst = new(D)
	return convert(src, *dst)
}

// ObjectFrom is [ObjectTo] for conversions that take the destination first.
func ObjectFrom[S, D any](dst **D, src *S, convert func(*D, *S) error) error {
	if src == nil {
		*dst = nil
		return nil
	}
	*dst = new(D)
	return convert(*dst, src)
}

// ListTo converts the elements of src into a new list at dst with convert, which takes the source
// first. Nil stays nil, and empty stays empty. All elements are converted; the first error is
// returned.
func ListTo[S, D any](dst *[]D, src []S, convert func(*S, *D) error) error {
	if src == nil {
		*dst = nil
		return nil
	}
	out := make([]D, len(src))
	*dst = out
	var failed error
	for i := range src {
		if err := convert(&src[i], &out[i]); err != nil && failed == nil {
			failed = fmt.Errorf("element %d: %w", i, err)
		}
	}
	return failed
}

// ListFrom is [ListTo] for conversions that take the destination first.
func ListFrom[S, D any](dst *[]D, src []S, convert func(*D, *S) error) error {
	if src == nil {
		*dst = nil
		return nil
	}
	out := make([]D, len(src))
	*dst = out
	var failed error
	for i := range src {
		if err := convert(&out[i], &src[i]); err != nil && failed == nil {
			failed = fmt.Errorf("element %d: %w", i, err)
		}
	}
	return failed
}

// MapTo converts the values of src into a new map at dst with convert, which takes the source
// first. Nil stays nil, and empty stays empty. All values are converted; the error at the smallest
// key is returned.
func MapTo[S, D any](dst *map[string]D, src map[string]S, convert func(*S, *D) error) error {
	if src == nil {
		*dst = nil
		return nil
	}
	out := make(map[string]D, len(src))
	*dst = out
	var failed keyError
	into := new(D) // results have no address of their own once they are in the map
	for key, value := range src {
		*into = *new(D)
		failed.add(key, convert(&value, into))
		out[key] = *into
	}
	return failed.wrapped()
}

// MapFrom is [MapTo] for conversions that take the destination first.
func MapFrom[S, D any](dst *map[string]D, src map[string]S, convert func(*D, *S) error) error {
	return MapTo(dst, src, func(s *S, d *D) error { return convert(d, s) })
}

// MapObjectTo converts the map src to a new open object at dst with convert, which takes the
// source first. Nil stays nil. Generated code calls it where one version has a map and another an
// object with named members.
func MapObjectTo[V, D any, M ~map[string]V](dst **D, src M, convert func(*M, *D) error) error {
	if src == nil {
		*dst = nil
		return nil
	}
	*dst = new(D)
	return convert(&src, *dst)
}

// MapObjectFrom is [MapObjectTo] in the other direction, for conversions that take the
// destination first.
func MapObjectFrom[S, V any](dst *map[string]V, src *S, convert func(*map[string]V, *S) error) error {
	if src == nil {
		*dst = nil
		return nil
	}
	return convert(dst, src)
}

// MembersTo is [MapTo] for the additional members of an open object. For an empty src it sets dst
// to nil.
func MembersTo[S, D any](dst *map[string]D, src map[string]S, convert func(*S, *D) error) error {
	if len(src) == 0 {
		*dst = nil
		return nil
	}
	return MapTo(dst, src, convert)
}

// MembersFrom converts the additional members of an open object to a map, like [MapFrom]. For an
// empty src it sets dst to an empty map.
func MembersFrom[S, D any](dst *map[string]D, src map[string]S, convert func(*D, *S) error) error {
	if len(src) == 0 {
		*dst = map[string]D{}
		return nil
	}
	return MapFrom(dst, src, convert)
}

// SetMembersTo is [MembersTo] for members that need no conversion. Dst shares the map src.
func SetMembersTo[V any](dst *map[string]V, src map[string]V) error {
	if *dst = src; len(src) == 0 {
		*dst = nil
	}
	return nil
}

// SetMembersFrom is [MembersFrom] for members that need no conversion. Dst shares the map src.
func SetMembersFrom[V any](dst *map[string]V, src map[string]V) error {
	if *dst = src; src == nil {
		*dst = map[string]V{}
	}
	return nil
}

// keyError stores the error at the smallest key, so that the result does not depend on the order
// of a map.
type keyError struct {
	key string
	err error
}

func (e *keyError) add(key string, err error) {
	if err != nil && (e.err == nil || key < e.key) {
		*e = keyError{key, err}
	}
}

func (e *keyError) wrapped() error {
	if e.err == nil {
		return nil
	}
	return fmt.Errorf("value %q: %w", e.key, e.err)
}

// Then returns a conversion that runs first and then second, with an object between them. It runs
// both even if first fails, and returns the first error.
func Then[A, B, C any](first func(*A, *B) error, second func(*B, *C) error) func(*A, *C) error {
	return func(src *A, dst *C) error {
		var between B
		return FirstError(first(src, &between), second(&between, dst))
	}
}
