package genruntime

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"strconv"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/declared"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// AugmentTo completes near, which generated code converted from far, with a hand-written step:
// assign calls AssignToX of far's type, and opposite calls AssignFromX. Restored reports whether
// some values of near were restored from a bag.
//
// If AugmentFrom has recorded what the step derives from far, AugmentTo runs the step in these
// cases:
//
//   - it derives anything else now: a client has edited what it derives from;
//   - a client has edited far, and opposite does not convert near to the values that far has.
//
// Otherwise near keeps its values. If far has the values that AugmentFrom set, AugmentTo also
// restores the entries of near's bag from before that.
//
// Without such a record, AugmentTo does not run the step in these cases:
//
//   - far has the values that AugmentFrom set;
//   - restored is true, AugmentFrom has never set far's properties, and opposite is nil or the
//     properties are all absent;
//   - restored is true, and opposite converts near to the same values that far has. It must set
//     one of the properties, unless far has none: another property of near may be the restored one.
//
// Step names near's type in its version, as in v20140404.PersonProperties. Properties are the
// properties of far that near lacks: the JSON name of each, followed by its key in bags.
//
// Assign works on a deep copy. If it fails or panics, near keeps the generated result, and the
// error is a [runtime.AugmentationError]. Assign and opposite see the keys of maps as clients
// spell them.
func AugmentTo[F, N any](step string, far *F, near *N, restored bool, assign, opposite func(*F, *N) error, properties ...string) error {
	record := takeRecord(bagIn(near), step)
	visible := isVisible(record, far, properties)
	if !needsStep(record, visible, far, near, restored, assign, opposite, properties) {
		if visible {
			restoreBefore(record, near, properties)
		}
		return nil
	}
	return complete("AssignTo "+step, near, func(n *N) error { return withAPIKeys(far, n, assign) })
}

// needsStep reports whether AugmentTo runs a step. Record is that of AugmentFrom; nil if there is
// none. Visible reports whether far has the values of the record.
func needsStep[F, N any](record *declared.Record, visible bool, far *F, near *N, restored bool, assign, opposite func(*F, *N) error, properties []string) bool {
	switch {
	case record != nil && record.Derived != "":
		derived := derivedSum(far, near, assign)
		return derived != record.Derived || !visible &&
			(derived == failed && !restored || opposite != nil && !makesFar(far, near, opposite))
	case visible:
		return false
	case record == nil && restored && (opposite == nil || isBlank(far, properties)):
		return false
	}
	return !restored || opposite == nil || !makesFar(far, near, opposite) ||
		!isBlank(far, properties) && !makesSome(func(f *F) error { return withAPIKeysFrom(f, near, opposite) }, properties)
}

// makesFar is [makes] for a step that converts near to far.
func makesFar[F, N any](far *F, near *N, assign func(*F, *N) error) bool {
	return makes(far, func(f *F) error { return withAPIKeysFrom(f, near, assign) })
}

// stands reports whether near needs no function of [DeriveTo], and restores the bag entries that
// near had before DeriveFrom. Made reports whether the opposite function converts near to far.
func stands[F, N any](step string, far *F, near *N, restored, hasOpposite bool, made func() bool, properties []string) bool {
	all := takeRecord(bagIn(near), step)
	switch {
	case isVisible(all, far, properties):
		restoreBefore(all, near, properties)
		return true
	case restored && all == nil && (!hasOpposite || isBlank(far, properties)):
		return true
	}
	return restored && hasOpposite && made()
}

// restoreBefore restores the entries of near's bag that a record has.
func restoreBefore[N any](record *declared.Record, near *N, properties []string) {
	for name, entry := range record.Before {
		bag.Set(bagIn(near), keyOf(name, properties), jsontext.Present(entry))
	}
}

// AugmentFrom is [AugmentTo] in the other direction: it completes far with a method AssignFromX
// of far's type. It does not run the step if the restored values already correspond to near. It
// records the resulting values, and what opposite derives from them, in far's bag, for AugmentTo.
func AugmentFrom[F, N any](step string, far *F, near *N, restored bool, assign, opposite func(*F, *N) error, properties ...string) error {
	before := *far
	var err error
	if !restored || opposite != nil && !makes(near, func(n *N) error { return withAPIKeys(far, n, opposite) }) {
		err = complete("AssignFrom "+step, far, func(f *F) error { return withAPIKeysFrom(f, near, assign) })
	}
	if bagIn(far) != nil && bagIn(near) != nil {
		derived := ""
		if opposite != nil {
			derived = derivedSum(far, near, opposite)
		}
		recordVisible(step, &before, far, near, derived, properties)
	}
	return err
}

// recordVisible records the values of far after a step in far's bag, together with the entries of
// near's bag that the step replaced, and what the opposite step derives from far.
func recordVisible[F, N any](step string, before, far *F, near *N, derived string, properties []string) {
	if b, source := bagIn(far), bagIn(near); b != nil && source != nil {
		record := showing(before, far, properties, *source)
		record.Derived = derived
		Stash(b, bag.RecordPrefix+step, record)
	}
}

// showing returns what a bag records of the values that a step has set in an object. Bag is that of
// the neighbour.
func showing[T any](before, after *T, properties []string, bag runtime.PropertyBag) *declared.Record {
	out := &declared.Record{Values: sumOf(after, properties)}
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

// isVisible reports whether an object still has the values of a record; false if there is none.
func isVisible(record *declared.Record, object any, properties []string) bool {
	return record != nil && record.Values == sumOf(object, properties)
}

// takeRecord removes the record of a step from a bag, and returns it; nil if there is none.
func takeRecord(b *runtime.PropertyBag, step string) *declared.Record {
	if b == nil {
		return nil
	}
	return declared.Take[declared.Record](b, bag.RecordPrefix+step)
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

func isBlank(object any, properties []string) bool {
	nothing := true
	v := reflect.ValueOf(object).Elem()
	eachProperty(v, properties, func(_, _ string, i int) { nothing = nothing && v.Field(i).IsZero() })
	return nothing
}

// eachProperty calls visit for every field of v whose JSON name is in properties. Properties are
// JSON names, each followed by a key.
func eachProperty(v reflect.Value, properties []string, visit func(name, key string, field int)) {
	for i, name := range namesOf(v.Type()) {
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
	return guarded(func() error { return assign(blank) }) == nil && !isBlank(blank, properties)
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
