package genruntime

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
)

// openInner is what another version names inner: it is open itself, and an earlier version has size
// as a text, at the key size.
type openInner struct {
	Size                 *int64                  `json:"size,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-"`
	PropertyBag          runtime.PropertyBag     `json:"$propertyBag,omitzero"`
}

func (b openInner) MarshalJSON() ([]byte, error) {
	type fixed openInner
	return MarshalOpen(fixed(b), b.AdditionalProperties)
}

func (b *openInner) UnmarshalJSON(data []byte) error {
	type fixed openInner
	return UnmarshalOpen(data, (*fixed)(b), &b.AdditionalProperties, "size", "$propertyBag")
}

type openNamed struct {
	Inner       *openInner          `json:"inner,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// TestMembersOfOpenObjectsComeBack reads an additional member through a version that names it, and
// writes it back: the open hub has it as before.
func TestMembersOfOpenObjectsComeBack(t *testing.T) {
	known := Furthers{{Name: "inner", Key: "inner", Kind: "o", Free: `size(?i),!size(?s),*`}}
	for _, member := range []string{`{"size":1,"b":2}`, `{"size":"x","b":2}`, `{"size":[1]}`} {
		hub := openBox{AdditionalProperties: map[string]runtime.JSON{"inner": runtime.JSON(member)}}
		named := openNamed{PropertyBag: Lower(&hub, known)}
		Recall(&named.PropertyBag, "inner", &named.Inner)
		Raise(&named, known)
		back := openBox{PropertyBag: Lower(&named, known)}
		Stash(&back.PropertyBag, "inner", named.Inner)
		Raise(&back, known)
		if got := back.AdditionalProperties["inner"]; !isSame(orNull(got), runtime.JSON(member)) {
			t.Errorf("%s comes back as %s, named as %s", member, got, spellNamed(&named))
		}
	}
}

func spellNamed(named *openNamed) string { data, _ := Encode(named); return string(data) }

// TestEntriesStandOnce writes a member whose key the bag that is kept has already.
func TestEntriesStandOnce(t *testing.T) {
	f := Further{Name: "n", Key: "n", Kind: "o", Free: `size(?i),!size(?s)`}
	kept := f.inBag(runtime.JSON(`{"size":"x","b":1}`), runtime.JSON(`{"size":"x","$propertyBag":{"size":[1],"c@v2":1}}`))
	if strings.Count(string(kept), `"size"`) != 1 {
		t.Errorf("stored as %s", kept)
	}
}

// TestTimeToMoveListsIsLinear stores objects in lists of objects, where another version has lists
// of texts.
func TestTimeToMoveListsIsLinear(t *testing.T) {
	f := Further{Name: "n", Key: "n", Kind: "o", Free: `in(^1),!in(?ls)`}
	checkLinear(t, func(n int) {
		f.inBag(runtime.JSON(strings.Repeat(`{"in":["s",`, n)+`1`+strings.Repeat(`]}`, n)), nil)
	}, 1000)
}
