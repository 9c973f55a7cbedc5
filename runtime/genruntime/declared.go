package genruntime

import (
	"fmt"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
)

// Declare converts src to dst by a change that the user has declared. What dst has and src does not
// determine stays, such as the other elements of a list. An absent src makes an absent dst, and so
// does a value that the side of dst cannot represent: that side has no part of it, and its own
// value is in a bag. Declare fails only if dst cannot store the result, and then dst is absent.
func Declare[S, D any](src S, dst *D, convert operation.Operation) error {
	before := jsontext.Encode(*dst)
	*dst = *new(D)
	value := jsontext.Encode(src)
	if value == nil {
		return nil
	}
	out := convert(value, before)
	if out == nil {
		return nil
	}
	var result D
	if err := kjson.UnmarshalCaseSensitivePreserveInts(out, &result); err != nil {
		return fmt.Errorf("a declared change: %w", err)
	}
	*dst = result
	return nil
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
