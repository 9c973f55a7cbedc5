package bag

import (
	"bytes"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// HasNameLikeIn reports whether an object in a value has a member that is called like a property
// bag.
func HasNameLikeIn(value runtime.JSON) bool {
	return MayHaveNameLike(value) && HasNameLike((&jsontext.Cursor{Data: value}))
}

// MayHaveNameLike reports whether a member of JSON may be called like a property bag. A name may be
// spelled with escapes.
func MayHaveNameLike(data []byte) bool {
	return bytes.Contains(data, []byte(Name[1:])) || bytes.Contains(data, []byte(`\u`))
}

// StatusPath is where API versions have their bag.
const StatusPath = "status.propertyBag"
