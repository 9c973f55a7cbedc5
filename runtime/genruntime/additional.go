package genruntime

import (
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/additional"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// Furthers are properties that an open object may have as additional members, sorted by name.
type Furthers = additional.Furthers

// Lists names the members that are lists of objects, in [Expressions] and [Furthers].
type Lists = notation.Lists

// Lower returns a property bag that has the entries of src's bag and the additional members of
// src. Known are the properties that may be additional members. Foreign are the names of
// additional members that are other properties than the known ones of these names.
func Lower[S any](src *S, known Furthers, foreign ...string) runtime.PropertyBag {
	return additional.Lower(src, known, foreign)
}

// Raise moves additional members from the property bag of dst into dst, if dst is an open object.
// If dst names a property but cannot read its value, the value stays in the bag, but not under
// the property's key. So no later step takes it for a live value.
func Raise[D any](dst *D, known Furthers, foreign ...string) { additional.Raise(dst, known, foreign) }

// Some open objects have additional members that are objects of one type. The steps of that type
// convert them together, as one map, and a bag stores them as one value. [LowerNamed] and
// [RaiseNamed] are [Lower] and [Raise] for such objects. They treat only members that some
// version names.
//
// The steps do not convert such a member. Between versions it is plain JSON, so that another type
// can read it. Members of its object that this type lacks go to the object's own bag. If the
// member has no key, the bag stores it under $namedProperties. A member with a raw value cannot
// become plain JSON and stays in the map. If an object has another property of its name, the bag
// stores it under $foreignProperties.

// LowerNamed returns src without the additional members that some version names, and a property
// bag that stores them. Src does not change.
func LowerNamed[S any](src *S, known Furthers, foreign ...string) (*S, runtime.PropertyBag) {
	return additional.LowerNamed(src, known, foreign)
}

// RaiseNamed moves the additional members that some version names from the property bag of dst
// into dst, if dst is an open object.
func RaiseNamed[D any](dst *D, known Furthers, foreign ...string) {
	additional.RaiseNamed(dst, known, foreign)
}
