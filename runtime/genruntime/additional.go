package genruntime

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/additional"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// Furthers are properties that may be additional members, sorted by name.
type Furthers = additional.Furthers

// Lists list members of objects in [Expressions] and [Furthers].
type Lists = notation.Lists

// Lower returns the property bag of src with its additional members in it. Foreign are the names of
// those that are not the properties which are known.
func Lower[S any](src *S, known Furthers, foreign ...string) runtime.PropertyBag {
	return additional.Lower(src, known, foreign)
}

// Raise takes the additional members of dst, if it is open, out of its property bag. Values that
// dst could not read although it names the property stay there without its key, so that nothing
// takes them for a live one.
func Raise[D any](dst *D, known Furthers, foreign ...string) { additional.Raise(dst, known, foreign) }

// Additional members that are objects of a type convert by the steps of that type, as one map, and
// lie in bags as one value. [LowerNamed] and [RaiseNamed] are [Lower] and [Raise] for these: they
// treat only members whose names some version has. Such a member never goes by the steps. It is
// plain JSON in between, so that another type can read it: members that this type lacks go to its
// own bag. Where there is no key for it, it lies under $namedProperties. A member that cannot be
// plain, since it holds a raw value, stays in the map, or lies under $foreignProperties where an
// object has its name for something else.

// LowerNamed returns src without the additional members that lie in the property bag it returns.
// Src does not change.
func LowerNamed[S any](src *S, known Furthers, foreign ...string) (*S, runtime.PropertyBag) {
	return additional.LowerNamed(src, known, foreign)
}

// RaiseNamed takes the additional members of dst that some version names out of its property bag,
// if dst is open.
func RaiseNamed[D any](dst *D, known Furthers, foreign ...string) {
	additional.RaiseNamed(dst, known, foreign)
}
