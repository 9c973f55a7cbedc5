package genruntime_test

import (
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// openInner is the type that another version has for inner. It is open itself. An earlier version
// has size as a string, under the key size.
type openInner struct {
	Size                 *int64                  `json:"size,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-"`
	PropertyBag          runtime.PropertyBag     `json:"$propertyBag,omitzero"`
}

func (b openInner) MarshalJSON() ([]byte, error) {
	type fixed openInner
	return genruntime.MarshalOpen(fixed(b), b.AdditionalProperties)
}

func (b *openInner) UnmarshalJSON(data []byte) error {
	type fixed openInner
	return genruntime.UnmarshalOpen(data, (*fixed)(b), &b.AdditionalProperties, "size", "$propertyBag")
}

type openNamed struct {
	Inner       *openInner          `json:"inner,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// TestMembersOfOpenObjectsComeBack reads an additional member through a version that names it, and
// writes it back: the open hub has it as before.
func TestMembersOfOpenObjectsComeBack(t *testing.T) {
	known := genruntime.Furthers{{Name: "inner", Key: "inner", Kind: "o", Free: genruntime.Lists{{{Name: "size", List: 2}, {Key: "size", List: 3}, {Rest: true}}, {{Kind: "i"}}, {{Kind: "s"}}}}}
	for _, member := range []string{`{"size":1,"b":2}`, `{"size":"x","b":2}`, `{"size":[1]}`} {
		hub := openBox{AdditionalProperties: map[string]runtime.JSON{"inner": runtime.JSON(member)}}
		named := openNamed{PropertyBag: genruntime.Lower(&hub, known)}
		genruntime.Recall(&named.PropertyBag, "inner", &named.Inner)
		genruntime.Raise(&named, known)
		back := openBox{PropertyBag: genruntime.Lower(&named, known)}
		genruntime.Stash(&back.PropertyBag, "inner", named.Inner)
		genruntime.Raise(&back, known)
		if got := back.AdditionalProperties["inner"]; !jsontext.IsSame(jsontext.OrNull(got), runtime.JSON(member)) {
			t.Errorf("%s comes back as %s, named as %s", member, got, spellNamed(&named))
		}
	}
}

func spellNamed(named *openNamed) string { data, _ := convert.Encode(named); return string(data) }
