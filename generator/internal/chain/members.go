package chain

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// AdditionalName is the name under which the further members of an open object
// are followed, as if they were one property. No property can have it: tags of Go
// have no quotes.
const AdditionalName = `"*"`

// AdditionalKey is the key that further members have in property bags, and their name
// in the ledger.
const AdditionalKey = "$additionalProperties"

// members are an object's properties, and its further members as one property
// of map type, last.
func members(o *model.Object) []*model.Property {
	if o.Additional == nil {
		return o.Properties
	}
	return append(slices.Clone(o.Properties), &model.Property{Name: AdditionalName, Type: &model.Map{Elem: o.Additional}})
}

// Unwrap strips lists and maps off a type. The wrap spells what was stripped,
// outermost first: l for a list, m for a map.
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
