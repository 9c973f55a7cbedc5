package chain

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// AdditionalName is the name under which the further members of an open object are followed, as
// if they were one property. No property can have this name, because struct tags cannot contain
// quotes.
const AdditionalName = `"*"`

// AdditionalKey is the key of further members in property bags, and their name in the ledger.
const AdditionalKey = "$additionalProperties"

// members returns an object's properties and, last, its further members as one property of map
// type.
func members(o *model.Object) []*model.Property {
	if o.Additional == nil {
		return o.Properties
	}
	return append(slices.Clone(o.Properties), &model.Property{Name: AdditionalName, Type: &model.Map{Elem: o.Additional}})
}

// Unwrap removes lists and maps from a type. wrap states what was removed, outermost first: l for
// a list, m for a map.
func Unwrap(t model.Type) (wrap string, inner model.Type) {
	var b []byte
	for {
		switch u := t.(type) {
		case *model.List:
			b, t = append(b, 'l'), u.Elem
		case *model.Map:
			b, t = append(b, 'm'), u.Elem
		default:
			return string(b), t
		}
	}
}
