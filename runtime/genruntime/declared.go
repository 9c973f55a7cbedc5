package genruntime

import (
	"fmt"
	"hash/fnv"
	"strconv"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
)

// DeclareTo converts far to near, a property that undergoes a declared change. It is called after
// near was restored from the bag of near's object, and far was stored there under key. To makes
// near of far, and from is its inverse.
//
// A restored value stands if it makes what far is. Otherwise far decides, and the parts of the
// restored value that far does not determine stay. An absent far makes an absent near. The bag
// loses far if near makes it again. A side that cannot represent a value has none, and that is no
// error; it is one if near's type cannot store the result.
func DeclareTo[A, B any](mark string, b *runtime.PropertyBag, far A, near *B, key string, to, from operation.Operation) error {
	value := jsontext.Encode(far)
	all := takeShown(b, mark)
	made, err := declare("AssignTo "+mark, value, near, to, from)
	switch {
	case all != nil && all.Values == textSum(value):
		bag.Set(b, key, jsontext.Present(all.Before[key]))
	case value != nil && jsontext.IsSame(applied(from, made, nil), value):
		bag.Set(b, key, nil)
	}
	return err
}

// DeclareFrom is [DeclareTo] in the other direction. The bag of far's object has near under key.
// Hidden is the key under which far was restored. If a write without an edit would store something
// else there, the bag notes what there was.
func DeclareFrom[A, B any](mark string, b *runtime.PropertyBag, far *A, near B, key, hidden string, to, from operation.Operation) error {
	value, before := jsontext.Encode(near), jsontext.Encode(*far)
	made, err := declare("AssignFrom "+mark, value, far, from, to)
	if value != nil && jsontext.IsSame(applied(to, made, nil), value) {
		bag.Set(b, key, nil)
	}
	if before == nil {
		before = jsontext.Present((*b)[hidden]) // it cannot be read, and a write would replace it
	}
	left := made
	if made != nil && jsontext.IsSame(applied(from, value, nil), made) {
		left = nil
	}
	if before != nil && !isSameOrAbsent(left, before) {
		Stash(b, bag.ShownMark+mark, &shown{Values: textSum(made), Before: map[string]runtime.JSON{hidden: before}})
	}
	return err
}

// declare sets dst to what an operation makes of a value, and returns the JSON of that.
func declare[D any](step string, value runtime.JSON, dst *D, to, from operation.Operation) (runtime.JSON, error) {
	restored := jsontext.Encode(*dst)
	if restored != nil && isSameOrAbsent(applied(from, restored, value), value) {
		return restored, nil
	}
	*dst = *new(D)
	made := applied(to, value, restored)
	if made == nil {
		return nil, nil
	}
	var result D
	if err := kjson.UnmarshalCaseSensitivePreserveInts(made, &result); err != nil {
		return nil, refusal(step, dst, fmt.Errorf("a declared change: %w", err))
	}
	*dst = result
	return made, nil
}

// applied is what an operation makes of a value, which may be absent.
func applied(convert operation.Operation, value, before runtime.JSON) runtime.JSON {
	if value == nil {
		return nil
	}
	return convert(value, before)
}

func isSameOrAbsent(a, b runtime.JSON) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return jsontext.IsSame(a, b)
}

// textSum is a sum of a JSON value. The order of members does not count: the API server sorts those
// of free JSON.
func textSum(value runtime.JSON) string {
	if parsed, err := jsontext.Parse(value); err == nil {
		value = jsontext.Encode(parsed)
	}
	sum := fnv.New64a()
	sum.Write(value)
	return strconv.FormatUint(sum.Sum64(), 36)
}

// Plural makes a value the first element of a list.
func Plural() operation.Operation { return operation.Plural }

// Singular returns the first element of a list.
func Singular() operation.Operation { return operation.Singular }

// Wrap makes a value a member of an object.
func Wrap(member string) operation.Operation { return operation.Wrap(member) }

// Unwrap returns a member of an object.
func Unwrap(member string) operation.Operation { return operation.Unwrap(member) }

// Split makes a list of the parts of a text between separators.
func Split(separator string) operation.Operation { return operation.Split(separator) }

// Join makes a text of a list, with separators between its elements.
func Join(separator string) operation.Operation { return operation.Join(separator) }

// Scale multiplies a number by by and divides it by over.
func Scale(by, over int64) operation.Operation { return operation.Scale(by, over) }

// ScaleWhole is [Scale] for integers, which it truncates toward zero.
func ScaleWhole(by, over int64) operation.Operation { return operation.ScaleWhole(by, over) }
