package genruntime

import (
	"fmt"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/declared"
	"github.com/stratakube/strata/runtime/internal/operation"
)

// DeclareTo converts far to near, for a property with a declared change. Generated code calls it
// after it restored near from the bag of near's object, and stored far there under key. To
// converts far to near, and from is its inverse. Package declared has the rules. It is an error if
// the type of near cannot store the result.
func DeclareTo[A, B any](id string, b *runtime.PropertyBag, far A, near *B, key string, to, from operation.Operation) error {
	return declared.To(declared.Keys{ID: id, Far: key}, b, codec.Entry(far), property[B]{near, "AssignTo " + id}, to, from)
}

// DeclareFrom is [DeclareTo] in the other direction. The bag of far's object has near under key.
// Hidden is the key under which far was restored.
func DeclareFrom[A, B any](id string, b *runtime.PropertyBag, far *A, near B, key, hidden string, to, from operation.Operation) error {
	return declared.From(declared.Keys{ID: id, Far: hidden, Near: key}, b, property[A]{far, "AssignFrom " + id}, codec.Entry(near), to, from)
}

// property is a property as a [declared.Property]. Step is the name of the step in errors.
type property[T any] struct {
	at   *T
	step string
}

// JSON returns the JSON of the value.
func (p property[T]) JSON() runtime.JSON { return codec.Entry(*p.at) }

// Set sets the value.
func (p property[T]) Set(value runtime.JSON) error {
	*p.at = *new(T)
	if value == nil {
		return nil
	}
	var made T
	if err := decodeMade(value, &made); err != nil {
		return refusal(p.step, p.at, fmt.Errorf("a declared change: %w", err))
	}
	*p.at = made
	return nil
}

// decodeMade reads the result of an operation. A list of strings may have an element for each byte
// of the value that was split, so its memory must not grow in steps.
func decodeMade(made runtime.JSON, into any) error {
	if texts, ok := into.(*[]string); ok && codec.DecodeExactly(made, texts) {
		return nil
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(made, into)
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

// Key converts a list of objects to a map of them, by a member of each.
func Key(member string) operation.Operation { return operation.Key(member) }

// List converts a map of objects to a list of them, with their keys in a member.
func List(member string) operation.Operation { return operation.List(member) }

// Scale multiplies a number by by and divides it by over.
func Scale(by, over int64) operation.Operation { return operation.Scale(by, over) }

// ScaleWhole is [Scale] for integers, which it truncates toward zero.
func ScaleWhole(by, over int64) operation.Operation { return operation.ScaleWhole(by, over) }
