package genruntime

import (
	"fmt"
	"hash/fnv"
	"strconv"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
)

// DeclareTo converts far to near, for a property with a declared change. Generated code calls it
// after it restored near from the bag of near's object, and stored far there under key. To
// converts far to near, and from is its inverse.
//
// A restored value stays if from converts it to far. Otherwise DeclareTo converts far, and takes
// from the restored value only the parts that far does not determine. An absent far makes near
// absent. DeclareTo removes far from the bag if from restores it from near. It is no error if one
// side cannot represent a value: the property is then absent there. It is an error if the type of
// near cannot store the result.
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
// Hidden is the key under which far was restored. If a later write without an edit would store
// another value there, DeclareFrom notes the earlier value in the bag.
func DeclareFrom[A, B any](mark string, b *runtime.PropertyBag, far *A, near B, key, hidden string, to, from operation.Operation) error {
	value, before := jsontext.Encode(near), codec.Entry(*far)
	made, err := declare("AssignFrom "+mark, value, far, from, to)
	if value != nil && jsontext.IsSame(applied(to, made, nil), value) {
		bag.Set(b, key, nil)
	}
	if before == nil {
		before = jsontext.Present((*b)[hidden]) // it was not restored, and a write would replace it
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

// declare sets dst to the result of operation to for a value, and returns the JSON of dst. A
// restored dst stays if operation from converts it to value.
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
	if err := decodeMade(made, &result); err != nil {
		return nil, refusal(step, dst, fmt.Errorf("a declared change: %w", err))
	}
	*dst = result
	return made, nil
}

// decodeMade reads the result of an operation. A list of strings may have an element for each byte
// of the value that was split, so its memory must not grow in steps.
func decodeMade(made runtime.JSON, into any) error {
	if texts, ok := into.(*[]string); ok && codec.DecodeExactly(made, texts) {
		return nil
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(made, into)
}

// applied returns the result of an operation for a value, and nil for an absent value.
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
	sum := fnv.New64a()
	sum.Write(sortedJSON(value))
	return strconv.FormatUint(sum.Sum64(), 36)
}

// Unchanged returns a value as it is, for a property that only moves.
func Unchanged() operation.Operation { return operation.Unchanged }

// Rename gives strings other names, also in lists and maps. Pairs are a name and its later name.
func Rename(pairs ...string) operation.Operation { return operation.Rename(pairs...) }

// Plural converts a value to a list with that value as its only element.
func Plural() operation.Operation { return operation.Plural }

// Singular converts a list to its first element.
func Singular() operation.Operation { return operation.Singular }

// Wrap converts a value to an object that has it as a member.
func Wrap(member string) operation.Operation { return operation.Wrap(member) }

// Unwrap converts an object to one of its members.
func Unwrap(member string) operation.Operation { return operation.Unwrap(member) }

// Split converts a string to the list of its parts between separators.
func Split(separator string) operation.Operation { return operation.Split(separator) }

// Join converts a list to a string, with separators between the elements.
func Join(separator string) operation.Operation { return operation.Join(separator) }

// Scale multiplies a number by by and divides it by over.
func Scale(by, over int64) operation.Operation { return operation.Scale(by, over) }

// ScaleWhole is [Scale] for integers, which it truncates toward zero.
func ScaleWhole(by, over int64) operation.Operation { return operation.ScaleWhole(by, over) }
