package genruntime

import (
	"reflect"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/express"
	"github.com/stratakube/strata/runtime/internal/preserve"
)

// Expressions lists what the API versions of a kind cannot express of the hub's spec, in the order
// of the chain. A version that is not in the list is not kept, or not known.
type Expressions = express.Expressions

// Expression lists what one API version cannot express of the hub's spec.
type Expression = express.Expression

// DecideOriginal decides the original version of a hub's spec where [Restore] could not, because
// that takes the whole hub. It is X, through which the object was written, unless X lacks something
// of the spec that Y, which the object had, can express; then it is Y. So an edit never takes away
// what the external API was sent. The version Y is read as the list has it: empty is the hub's API
// version, and one that is not in the list is the next later one.
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

// RegisterDerived makes known how hand-written steps derive the hub's spec H from that of a
// version: to converts the storage spec S of the version to the hub's, and from back. A value of
// the hub that follows from what the version has is one that the version can express.
//
// Generated code calls it for the versions with a hand-written step between them and the hub, when
// the program starts: [DecideOriginal] and [Unexpressed] must not depend on what was registered
// later.
func RegisterDerived[S, H any](version string, to func(*S, *H) error, from func(*H, *S) error) {
	preserve.RegisterDerived(reflect.TypeFor[H](), version, func(spec any) any {
		var own S
		out := new(H)
		if err := from(spec.(*H), &own); err != nil && !runtime.IsAugmentation(err) {
			return nil
		}
		alone := deepCopy(&own)
		preserve.RemoveBags(alone, version)
		if err := to(alone, out); err != nil && !runtime.IsAugmentation(err) {
			return nil
		}
		return out
	})
}
