package genruntime

import (
	"github.com/stratakube/strata/runtime/internal/express"
	"github.com/stratakube/strata/runtime/internal/preserve"
)

// Expressions lists what the API versions of a kind cannot express of the hub's spec, in the order
// of the chain. A version that is not in the list is not kept, or not known.
type Expressions = express.Expressions

// Expression lists what one API version cannot express of the hub's spec.
type Expression = express.Expression

// DecideOriginal decides the original version of a hub's spec where [Restore] could not, because
// that takes the whole hub. It is Y, which the object had, if X, through which the object was
// written, cannot express the spec and Y can; else X. The version Y is read as the list has it:
// empty is the hub's API version, and one that is not in the list is the next later one.
//
// Spec is a pointer to the hub's storage spec, and may be nil. Every conversion of roots into the
// hub ends in DecideOriginal; for a spec that needs no decision that costs next to nothing.
func DecideOriginal(spec any, expressions Expressions) { preserve.DecideOriginal(spec, expressions) }

// Unexpressed returns the places in a hub's spec, as in properties.phones[2].prefix, that the
// spec's original version cannot express, sorted as they stand: what the external API is not sent.
// Spec is a pointer to the hub's storage spec.
func Unexpressed(spec any, expressions Expressions) []string {
	return preserve.Unexpressed(spec, expressions)
}
