package genruntime

import (
	"reflect"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/express"
	"github.com/stratakube/strata/runtime/internal/preserve"
)

// Expressions lists, for the API versions of a kind, the parts of the hub's spec that each cannot
// represent. It has the order of the chain. A version that is not in the list was pruned or is
// not known.
type Expressions = express.Expressions

// Expression lists the parts of the hub's spec that one API version cannot represent.
type Expression = express.Expression

// DecideOriginal decides the original version of a hub's spec if [Restore] left it undecided,
// because the decision depends on the whole hub. Let X be the version of the write, and Y the
// earlier original version. The result is Y if Y can represent a value of the spec that X cannot,
// and else X. So an edit never removes values that the operator sent to the external API. An
// empty Y is the hub's API version, and a Y that is not in the list is the next later one.
//
// Spec is a pointer to the hub's storage spec, and may be nil. Every conversion of a root to the
// hub ends with a call of DecideOriginal. Src is the object that it converts. The call is cheap for
// a spec without a pending decision. When the context of the conversion is done, it ends early.
func DecideOriginal(src, spec any, expressions Expressions) {
	preserve.DecideOriginal(src, spec, expressions)
}

// Unexpressed returns the paths in a hub's spec, as in properties.phones[2].prefix, that the
// spec's original version cannot represent. The operator does not send them to the external API.
// The paths are sorted by their order in the spec. Spec is a pointer to the hub's storage spec.
func Unexpressed(spec any, expressions Expressions) []string {
	return preserve.Unexpressed(spec, expressions)
}

// RegisterDerived registers the conversions between the hub's spec H and the storage spec S of a
// version: to converts S to H, and from converts H to S. A value of the hub counts as
// representable if it comes back from the version without property bags. So it does if a
// hand-written step derives it from what the version has, or if the version shows it as an
// additional member.
//
// Generated code calls it at the start of the program, for versions with a hand-written step or
// an open object between them and the hub. The results of [DecideOriginal] and [Unexpressed] must
// not depend on later registrations.
func RegisterDerived[S, H any](version string, to func(*S, *H) error, from func(*H, *S) error) {
	preserve.RegisterDerived(reflect.TypeFor[H](), version, func(spec any, ended func() bool) any {
		var own S
		out := new(H)
		if err := from(spec.(*H), &own); err != nil && !runtime.IsAugmentation(err) {
			return nil
		}
		if ended() {
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
