package genruntime

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// DeriveTo is [AugmentTo] with functions of the author in place of hand-written steps. Assign
// sets one property of near from one of far, and opposite sets that of far from near's. They
// change nothing else. If a function returns an error, its property is absent on the other side,
// and DeriveTo returns a [runtime.AugmentationError].
func DeriveTo[F, N any](step string, far *F, near *N, restored bool, assign, opposite func(*F, *N) error, properties ...string) error {
	made := func() bool { return derives(far, func(f *F) error { return opposite(f, near) }) }
	if stands(step, far, near, restored, opposite != nil, made, properties) {
		return nil
	}
	return refusal("AssignTo "+step, near, guarded(func() error { return assign(far, near) }))
}

// DeriveFrom is [DeriveTo] in the other direction.
func DeriveFrom[F, N any](step string, far *F, near *N, restored bool, assign, opposite func(*F, *N) error, properties ...string) error {
	before := *far
	var err error
	if !restored || opposite != nil && !derives(near, func(n *N) error { return opposite(far, n) }) {
		err = refusal("AssignFrom "+step, far, guarded(func() error { return assign(far, near) }))
	}
	recordVisible(step, &before, far, near, "", properties)
	return err
}

// derives reports whether assign sets the property to the value that it already has. If assign
// fails, the property that it sets is absent.
func derives[T any](value *T, assign func(*T) error) bool {
	again := *value
	_ = guarded(func() error { return assign(&again) })
	return isSameValue(&again, value)
}

func refusal[T any](step string, dst *T, err error) error {
	if err == nil {
		return nil
	}
	return &runtime.AugmentationError{Step: step, Type: fmt.Sprintf("%T", dst), Err: err}
}

// Derive converts src to dst with a function of the author. The types of the function are those
// of the author's package. Derive converts the values to and from them as JSON, and the keys of
// maps to and from those of the API. An absent src makes dst absent without a call of the function.
func Derive[S, A, B, D any](src S, dst *D, f func(A) (B, error)) error {
	*dst = *new(D)
	if v := reflect.ValueOf(&src).Elem(); v.IsZero() {
		return nil
	}
	var a A
	if err := travel(*apiKeys(&src), &a); err != nil {
		return err
	}
	b, err := f(a)
	if err != nil {
		return err
	}
	err = travel(b, dst)
	*dst = *storeKeys(dst)
	return err
}

// Fill sets dst to the value that objects of versions without the property have.
func Fill[B, D any](dst *D, f func() (B, error)) error {
	b, err := f()
	if err != nil {
		return err
	}
	err = travel(b, dst)
	*dst = *storeKeys(dst)
	return err
}

// FillFrom sets a property of far that near's version lacks to the value that f supplies for
// objects without it. Generated code calls it in the direction away from the hub, after the
// property was restored from near's bag. A property that a client left absent stays absent:
// [FilledTo] records that under the ID. FillFrom records in far's bag which value it filled in, so
// that the value is stored only if a client edits it.
//
// FillFrom fills an object without that record, because no client has seen the property yet. The
// generator refuses a default for a property that a version has had without one.
func FillFrom[F, N any](id string, far *F, near *N, isAbsent bool, fill func(*F, *N) error, property, key string) error {
	if _, left := (*bagIn(far))[bag.RecordPrefix+id]; left || !isAbsent {
		return nil
	}
	before := *far
	err := refusal("AssignFrom "+id, far, guarded(func() error { return fill(far, near) }))
	recordVisible(id, &before, far, near, "", []string{property, key})
	return err
}

// FilledTo is [FillFrom] in the other direction, after the property was stored in near's bag. It
// does not store a value that FillFrom filled in and no client edited. It records in near's bag
// that a client left the property absent.
func FilledTo[F, N any](id string, far *F, near *N, isAbsent bool, property, key string) error {
	filled := takeRecord(bagIn(near), id)
	switch {
	case isVisible(filled, far, []string{property, key}):
		for _, entry := range filled.Before {
			bag.Set(bagIn(near), key, jsontext.Present(entry))
		}
	case isAbsent:
		RecordAbsent(near, id)
	}
	return nil
}

// travel converts from to to as JSON. Both are of the author's types, or of generated types.
func travel(from, to any) error {
	body, err := json.Marshal(from)
	if err == nil {
		err = kjson.UnmarshalCaseSensitivePreserveInts(body, to)
	}
	return err
}

// Sure adapts a function that cannot fail. The error is always nil.
func Sure[A, B any](f func(A) B) func(A) (B, error) {
	return func(a A) (B, error) { return f(a), nil }
}

// Given is [Sure] for functions without a parameter.
func Given[B any](f func() B) func() (B, error) {
	return func() (B, error) { return f(), nil }
}

// Pipe returns a function that calls f and then g. If g takes another type than f returns, Pipe
// converts the value as JSON.
func Pipe[A, B, C, D any](f func(A) (B, error), g func(C) (D, error)) func(A) (D, error) {
	return func(a A) (D, error) {
		b, err := f(a)
		if err != nil {
			return *new(D), err
		}
		return followed(b, g)
	}
}

// PipeGiven is [Pipe] for a first function without a parameter.
func PipeGiven[B, C, D any](f func() (B, error), g func(C) (D, error)) func() (D, error) {
	return func() (D, error) {
		b, err := f()
		if err != nil {
			return *new(D), err
		}
		return followed(b, g)
	}
}

// followed calls g with b. If b has another type than g takes, followed converts it as JSON.
func followed[B, C, D any](b B, g func(C) (D, error)) (D, error) {
	c, same := any(b).(C)
	if !same {
		if err := travel(b, &c); err != nil {
			return *new(D), err
		}
	}
	return g(c)
}

// Constant returns a function that returns a JSON value.
func Constant(text string) func() (runtime.JSON, error) {
	return func() (runtime.JSON, error) { return runtime.JSON(text), nil }
}

// Same returns its argument, for a value that needs no conversion.
func Same(value runtime.JSON) (runtime.JSON, error) { return value, nil }

// RecordAbsent records in the bag of an object that a step must not fill an absent property.
func RecordAbsent[T any](object *T, step string) {
	recordVisible(step, object, object, object, "", nil)
}

// Nothing is a step that does nothing.
func Nothing[F, N any](*F, *N) error { return nil }

// exact is the largest whole number up to which float64 represents every whole number.
const exact = 1 << 53

// ToNumber converts an integer to a number. An integer beyond 2^53 is an error, because float64
// does not represent every such integer.
func ToNumber(n int64) (float64, error) {
	if n > exact || n < -exact {
		return 0, fmt.Errorf("%d has more digits than a number", n)
	}
	return float64(n), nil
}

// ToWhole converts a number to an integer, without its decimals. Numbers that the type cannot
// represent are errors.
func ToWhole[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](n float64) (T, error) {
	if !(math.Abs(n) <= exact) || float64(T(n)) != math.Trunc(n) {
		return 0, fmt.Errorf("%g is out of the range of %T", n, *new(T))
	}
	return T(n), nil
}

// Renamed returns a string, or lists and maps of strings, with some values replaced. Pairs are a
// value and its replacement. If every replacement is also replaced, the inverse pairs restore the
// original values.
func Renamed[T any](value T, pairs ...string) T {
	out := new(T)
	rename(reflect.ValueOf(out).Elem(), reflect.ValueOf(&value).Elem(), pairs)
	return *out
}

func rename(dst, src reflect.Value, pairs []string) {
	switch src.Kind() {
	case reflect.String:
		dst.SetString(other(src.String(), pairs))
	case reflect.Pointer:
		if !src.IsNil() {
			dst.Set(reflect.New(src.Type().Elem()))
			rename(dst.Elem(), src.Elem(), pairs)
		}
	case reflect.Slice:
		if !src.IsNil() {
			dst.Set(reflect.MakeSlice(src.Type(), src.Len(), src.Len()))
			for i := range src.Len() {
				rename(dst.Index(i), src.Index(i), pairs)
			}
		}
	case reflect.Map:
		if !src.IsNil() {
			dst.Set(reflect.MakeMapWithSize(src.Type(), src.Len()))
			for key, value := range src.Seq2() {
				entry := reflect.New(src.Type().Elem()).Elem()
				rename(entry, value, pairs)
				dst.SetMapIndex(key, entry)
			}
		}
	default:
		dst.Set(src)
	}
}

func other(name string, pairs []string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == name {
			return pairs[i+1]
		}
	}
	return name
}
