package bag

import (
	"bytes"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// HasNameLikeIn reports whether an object in a value has a member whose name is like that of a
// property bag.
func HasNameLikeIn(value runtime.JSON) bool {
	return MayHaveNameLike(value) && HasNameLike((&jsontext.Cursor{Data: value}))
}

// MayHaveNameLike reports whether a member in JSON may have a name like that of a property bag.
// The name may be spelled with escapes.
func MayHaveNameLike(data []byte) bool {
	return bytes.Contains(data, []byte(Name[1:])) || bytes.Contains(data, []byte(`\u`))
}

// StatusPath is the path of the status bag in API versions.
const StatusPath = "status.propertyBag"
