package genruntime

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"strconv"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// AugmentTo completes near, which generated code has made of far, with a hand-written step: assign,
// a method AssignToX of far's type. The step is not run where nobody has edited far, so that near
// comes back as it was:
//
//   - far is what AugmentFrom has shown. Then near's bag is made what it was before that, too;
//   - some of near's values were restored from a bag, and far, which was never shown, has nothing
//     to say;
//   - some of near's values were restored, and opposite, the method AssignFromX, makes of them what
//     far is.
//
// Step names near's type in its version, as in v20140404.PersonProperties. Properties are those of
// far that near lacks: the JSON name of each, followed by its key in bags.
//
// Assign works on a deep copy: when it fails or panics, near stays as generated code has made it,
// and the error is an [runtime.AugmentationError].
func AugmentTo[F, N any](step string, far *F, near *N, restored bool, assign, opposite func(*F, *N) error, properties ...string) error {
	made := func() bool { return makes(far, func(f *F) error { return opposite(f, near) }) }
	if stands(step, far, near, restored, opposite != nil, made, properties) {
		return nil
	}
	return complete("AssignTo "+step, near, func(n *N) error { return assign(far, n) })
}

// stands reports whether near is what it was, and gives its bag what that had. Made reports whether
// the opposite step makes of it what far is.
func stands[F, N any](step string, far *F, near *N, restored, hasOpposite bool, made func() bool, properties []string) bool {
	all := takeShown(bagIn(near), step)
	switch {
	case all != nil && all.are(far, properties):
		for name, entry := range all.Before {
			bag.Set(bagIn(near), keyOf(name, properties), jsontext.Present(entry))
		}
		return true
	case restored && all == nil && (!hasOpposite || saysNothing(far, properties)):
		return true
	}
	return restored && hasOpposite && made()
}

// AugmentFrom is [AugmentTo] in the other direction: it completes far with a method AssignFromX of
// its type, where what was restored does not say what near is. What far shows then is noted in its
// bag, for the way back.
func AugmentFrom[F, N any](step string, far *F, near *N, restored bool, assign, opposite func(*F, *N) error, properties ...string) error {
	before := *far
	var err error
	if !restored || opposite != nil && !makes(near, func(n *N) error { return opposite(far, n) }) {
		err = complete("AssignFrom "+step, far, func(f *F) error { return assign(f, near) })
	}
	noteShown(step, &before, far, near, properties)
	return err
}

// noteShown notes in far's bag what far shows, and showed before a step.
func noteShown[F, N any](step string, before, far *F, near *N, properties []string) {
	if b, source := bagIn(far), bagIn(near); b != nil && source != nil {
		Stash(b, bag.ShownMark+step, showing(before, far, properties, *source))
	}
}

// shown is what an object has shown. Values is the sum of its properties. Before is what the
// neighbour's bag had of those that the hand-written step has set, by JSON name; null for nothing.
type shown struct {
	Values string                  `json:"values"`
	Before map[string]runtime.JSON `json:"before,omitempty"`
}

func showing[T any](before, after *T, properties []string, bag runtime.PropertyBag) *shown {
	out := &shown{Values: sumOf(after, properties)}
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

// are reports whether an object still is what it has shown.
func (s *shown) are(object any, properties []string) bool {
	return s.Values == sumOf(object, properties)
}

func takeShown(b *runtime.PropertyBag, step string) *shown {
	var all *shown
	if b != nil {
		Recall(b, bag.ShownMark+step, &all)
	}
	return all
}

// sumOf is a sum of an object's properties.
func sumOf(object any, properties []string) string {
	sum := fnv.New64a()
	v := reflect.ValueOf(object).Elem()
	eachProperty(v, properties, func(name, _ string, i int) {
		sum.Write([]byte(name))
		sum.Write(jsontext.Encode(v.Field(i).Interface()))
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

// eachProperty visits the fields of properties, which are JSON names, each followed by a key.
func eachProperty(v reflect.Value, properties []string, visit func(name, key string, field int)) {
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if key := keyOf(name, properties); key != "" {
			visit(name, key, i)
		}
	}
}

// keyOf is the key behind a name, empty if the name is not there.
func keyOf(name string, properties []string) string {
	for i := 0; i+1 < len(properties); i += 2 {
		if properties[i] == name {
			return properties[i+1]
		}
	}
	return ""
}

// bagIn is the property bag of an object, nil where its type has none.
func bagIn(object any) *runtime.PropertyBag {
	field := reflect.ValueOf(object).Elem().FieldByName("PropertyBag")
	if !field.IsValid() {
		return nil
	}
	bag, _ := field.Addr().Interface().(*runtime.PropertyBag)
	return bag
}

// complete lets a step write to a copy, and keeps the copy if the step succeeds.
func complete[T any](step string, dst *T, assign func(*T) error) error {
	completed := deepCopy(dst)
	if err := guarded(func() error { return assign(completed) }); err != nil {
		return &runtime.AugmentationError{Step: step, Type: fmt.Sprintf("%T", dst), Err: err}
	}
	*dst = *completed
	return nil
}

// makes reports whether a step makes of nothing, as far as it goes, and of the value at hand that
// very value.
func makes[T any](value *T, assign func(*T) error) bool {
	again, blank := deepCopy(value), new(T)
	if guarded(func() error { return assign(again) }) != nil || !reflect.DeepEqual(again, value) {
		return false
	}
	return guarded(func() error { return assign(blank) }) == nil && agrees(reflect.ValueOf(blank).Elem(), reflect.ValueOf(value).Elem())
}

// agrees reports whether every field that made has is as in value.
func agrees(made, value reflect.Value) bool {
	for i := range made.NumField() {
		if !made.Field(i).IsZero() && !reflect.DeepEqual(made.Field(i).Interface(), value.Field(i).Interface()) {
			return false
		}
	}
	return true
}

func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

// deepCopy copies generated types, which are made of pointers, lists, maps and plain structs.
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
