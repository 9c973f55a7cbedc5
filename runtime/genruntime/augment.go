package genruntime

import (
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"strconv"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/declared"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// AugmentTo completes near, which generated code converted from far, with a hand-written step:
// assign calls AssignToX of far's type, and opposite calls AssignFromX. Restored reports whether
// some values of near were restored from a bag.
//
// AugmentTo does not run the step if far was not edited, so that near keeps its values:
//
//   - far has the values that AugmentFrom set; then AugmentTo also restores the entries of near's
//     bag from before that;
//   - restored is true, AugmentFrom has never set far's properties, and opposite is nil or the
//     properties are all absent;
//   - restored is true, and opposite converts near to the same values that far has. It must set
//     one of the properties, unless far has none: another property of near may be the restored one.
//
// Step names near's type in its version, as in v20140404.PersonProperties. Properties are the
// properties of far that near lacks: the JSON name of each, followed by its key in bags.
//
// Assign works on a deep copy. If it fails or panics, near keeps the generated result, and the
// error is a [runtime.AugmentationError].
func AugmentTo[F, N any](step string, far *F, near *N, restored bool, assign, opposite func(*F, *N) error, properties ...string) error {
	made := func() bool {
		back := func(f *F) error { return opposite(f, near) }
		return makes(far, back) && (saysNothing(far, properties) || makesSome(back, properties))
	}
	if stands(step, far, near, restored, opposite != nil, made, properties) {
		return nil
	}
	return complete("AssignTo "+step, near, func(n *N) error { return assign(far, n) })
}

// stands reports whether near needs no step, and restores the bag entries that near had before
// AugmentFrom. Made reports whether the opposite step converts near to far.
func stands[F, N any](step string, far *F, near *N, restored, hasOpposite bool, made func() bool, properties []string) bool {
	all := takeShown(bagIn(near), step)
	switch {
	case isShown(all, far, properties):
		for name, entry := range all.Before {
			bag.Set(bagIn(near), keyOf(name, properties), jsontext.Present(entry))
		}
		return true
	case restored && all == nil && (!hasOpposite || saysNothing(far, properties)):
		return true
	}
	return restored && hasOpposite && made()
}

// AugmentFrom is [AugmentTo] in the other direction: it completes far with a method AssignFromX
// of far's type. It does not run the step if the restored values already correspond to near. It
// notes the resulting values in far's bag, for AugmentTo.
func AugmentFrom[F, N any](step string, far *F, near *N, restored bool, assign, opposite func(*F, *N) error, properties ...string) error {
	before := *far
	var err error
	if !restored || opposite != nil && !makes(near, func(n *N) error { return opposite(far, n) }) {
		err = complete("AssignFrom "+step, far, func(f *F) error { return assign(f, near) })
	}
	noteShown(step, &before, far, near, properties)
	return err
}

// noteShown notes the values of far after a step in far's bag, together with the entries of
// near's bag that the step replaced.
func noteShown[F, N any](step string, before, far *F, near *N, properties []string) {
	if b, source := bagIn(far), bagIn(near); b != nil && source != nil {
		Stash(b, bag.ShownMark+step, showing(before, far, properties, *source))
	}
}

// showing returns what a bag notes of the values that a step has set in an object. Bag is that of
// the neighbour.
func showing[T any](before, after *T, properties []string, bag runtime.PropertyBag) *declared.Shown {
	out := &declared.Shown{Values: sumOf(after, properties)}
	was, is := reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem()
	eachProperty(is, properties, func(name, key string, i int) {
		if reflect.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface()) {
			return
		}
		if out.Before == nil {
			out.Before = map[string]runtime.JSON{}
		}
		out.Before[name] = bag[key]
	})
	return out
}

// isShown reports whether an object still has the values of a note; false if there is no note.
func isShown(note *declared.Shown, object any, properties []string) bool {
	return note != nil && note.Values == sumOf(object, properties)
}

// takeShown removes the note of a step from a bag, and returns it; nil if there is none.
func takeShown(b *runtime.PropertyBag, step string) *declared.Shown {
	if b == nil {
		return nil
	}
	return declared.Take[declared.Shown](b, bag.ShownMark+step)
}

// sumOf returns a checksum of the given properties of an object. The order of members of free JSON
// does not count, because the API server sorts them.
func sumOf(object any, properties []string) string {
	sum := fnv.New64a()
	v := reflect.ValueOf(object).Elem()
	eachProperty(v, properties, func(name, _ string, i int) {
		value := v.Field(i)
		if hasFree(value.Type()) {
			value = reflect.New(value.Type()).Elem()
			copyValue(value, v.Field(i))
			sortFree(value)
		}
		sum.Write([]byte(name))
		sum.Write(jsontext.Encode(value.Interface()))
		sum.Write([]byte{0})
	})
	return strconv.FormatUint(sum.Sum64(), 36)
}

func saysNothing(object any, properties []string) bool {
	nothing := true
	v := reflect.ValueOf(object).Elem()
	eachProperty(v, properties, func(_, _ string, i int) { nothing = nothing && v.Field(i).IsZero() })
	return nothing
}

// eachProperty calls visit for every field of v whose JSON name is in properties. Properties are
// JSON names, each followed by a key.
func eachProperty(v reflect.Value, properties []string, visit func(name, key string, field int)) {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if key := keyOf(name, properties); key != "" {
			visit(name, key, i)
		}
	}
}

// keyOf returns the key that follows a name in properties, and an empty string if the name is
// absent.
func keyOf(name string, properties []string) string {
	for i := 0; i+1 < len(properties); i += 2 {
		if properties[i] == name {
			return properties[i+1]
		}
	}
	return ""
}

// bagIn returns the property bag of an object, and nil if its type has none.
func bagIn(object any) *runtime.PropertyBag {
	field := reflect.ValueOf(object).Elem().FieldByName("PropertyBag")
	if !field.IsValid() {
		return nil
	}
	bag, _ := field.Addr().Interface().(*runtime.PropertyBag)
	return bag
}

// complete runs a step on a deep copy of dst, and copies the result to dst if the step succeeds.
func complete[T any](step string, dst *T, assign func(*T) error) error {
	completed := deepCopy(dst)
	if err := guarded(func() error { return assign(completed) }); err != nil {
		return &runtime.AugmentationError{Step: step, Type: fmt.Sprintf("%T", dst), Err: err}
	}
	*dst = *completed
	return nil
}

// makes reports whether a step produces value: applied to a copy of value it must change nothing,
// and every field that it sets in a blank object must equal that of value.
func makes[T any](value *T, assign func(*T) error) bool {
	again, blank := deepCopy(value), new(T)
	if guarded(func() error { return assign(again) }) != nil || !isSameValue(again, value) {
		return false
	}
	return guarded(func() error { return assign(blank) }) == nil && agrees(reflect.ValueOf(blank).Elem(), reflect.ValueOf(value).Elem())
}

// makesSome reports whether a step sets one of the properties of a blank object.
func makesSome[T any](assign func(*T) error, properties []string) bool {
	blank := new(T)
	return guarded(func() error { return assign(blank) }) == nil && !saysNothing(blank, properties)
}

// agrees reports whether value equals made in every field that made sets.
func agrees(made, value reflect.Value) bool {
	for i := range made.NumField() {
		if !made.Field(i).IsZero() && !isSameValue(made.Field(i).Interface(), value.Field(i).Interface()) {
			return false
		}
	}
	return true
}

func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicError{r}
		}
	}()
	return f()
}

// panicError is the error of a step that panicked.
type panicError struct{ reason any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.reason) }

// misuseError is the error of a step that changes what no step may change.
type misuseError struct{ text string }

func (e *misuseError) Error() string { return e.text }

// IsRefusal reports whether an error is or wraps a [runtime.AugmentationError] of a step that
// returned an error. It is false for a step that panicked, or that changed what no step may change.
// Conversions treat all alike. Tests tolerate only steps that refuse a value.
func IsRefusal(err error) bool {
	var failed *runtime.AugmentationError
	return errors.As(err, &failed) && !errors.As(err, new(*panicError)) && !errors.As(err, new(*misuseError))
}

// deepCopy copies a value of a generated type. Such types consist of pointers, lists, maps and
// structs.
func deepCopy[T any](in *T) *T {
	out := new(T)
	copyValue(reflect.ValueOf(out).Elem(), reflect.ValueOf(in).Elem())
	return out
}

func copyValue(dst, src reflect.Value) {
	switch src.Kind() {
	case reflect.Pointer:
		if !src.IsNil() {
			dst.Set(reflect.New(src.Type().Elem()))
			copyValue(dst.Elem(), src.Elem())
		}
	case reflect.Slice:
		if !src.IsNil() {
			dst.Set(reflect.MakeSlice(src.Type(), src.Len(), src.Len()))
			for i := range src.Len() {
				copyValue(dst.Index(i), src.Index(i))
			}
		}
	case reflect.Map:
		if !src.IsNil() {
			dst.Set(reflect.MakeMapWithSize(src.Type(), src.Len()))
			for key, value := range src.Seq2() {
				entry := reflect.New(src.Type().Elem()).Elem()
				copyValue(entry, value)
				dst.SetMapIndex(key, entry)
			}
		}
	case reflect.Struct:
		dst.Set(src)
		for i := range src.NumField() {
			if dst.Field(i).CanSet() {
				copyValue(dst.Field(i), src.Field(i))
			}
		}
	default:
		dst.Set(src)
	}
}
