package convert

import (
	"strings"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/label"
)

// BagPath returns the path of the member of an API object that stores the values which its version
// cannot represent.
func BagPath() []string { return strings.Split(bag.StatusPath, ".") }

// PropertyBag is the name of the members of a stored object, in its spec and its status at any
// depth, that store the properties which the hub lacks.
const PropertyBag = bag.Name

// OriginalVersionPath returns the path of the member of a stored object that has the original
// version.
func OriginalVersionPath() []string { return []string{"spec", label.OriginalVersion} }
