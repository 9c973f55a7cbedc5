package genruntime_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/additional"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/codec"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/linear"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// replacingBox is an openBox of the hub. Its tag lists the bag entries that its members replace.
type replacingBox struct {
	Known                *string                 `json:"known,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-" replaces:"{\"all\":true,\"foreign\":[\"lid\"],\"keys\":[{\"name\":\"danger\",\"key\":\"danger\"},{\"name\":\"danger\",\"key\":\"danger@v3\"},{\"name\":\"inner\",\"key\":\"inner\",\"kind\":\"o\"}]}"`
	PropertyBag          runtime.PropertyBag     `json:"$propertyBag,omitzero"`
}

func TestWrittenMembersReplaceHiddenValues(t *testing.T) {
	for _, test := range []struct {
		reason, members, bag, want string
	}{
		{"nothing is written", `{}`, `{"danger":true,"danger@v3":"very"}`, `{"danger":true,"danger@v3":"very"}`},
		{"all values of the property", `{"danger":5}`, `{"danger":true,"danger@v3":"very","inner":{}}`, `{"inner":{}}`},
		{"a null is written, too", `{"danger":null}`, `{"danger":true}`, `{}`},
		{"the value that no type has", `{"danger":5,"x":1}`,
			`{"$additionalProperties":{"danger":[1],"x":[2],"y":[3]},"$namedProperties":{"danger":[4],"inner":[5]}}`,
			`{"$additionalProperties":{"y":[3]},"$namedProperties":{"inner":[5]}}`},
		{"a member that is another property", `{"lid":5}`, `{"lid":true,"$additionalProperties":{"lid":1}}`, `{"lid":true,"$additionalProperties":{"lid":1}}`},
		{"a raw value, which comes back in its version", `{"danger":5}`, `{"danger@v1!raw":[1]}`, `{"danger@v1!raw":[1]}`},
		{"what an entry is that is no such object", `{"danger":5}`, `{"$additionalProperties":[1],"$namedProperties":2}`, `{"$additionalProperties":[1],"$namedProperties":2}`},
		{"a cover stays where the member shows what it did", `{"danger":true}`,
			`{"$coveredProperties":{"danger":{"key":"danger","shown":true,"stored":{"danger":true,"danger@v3":"very"}}}}`,
			`{"$coveredProperties":{"danger":{"key":"danger","shown":true,"stored":{"danger":true,"danger@v3":"very"}}}}`},
		{"a cover of what was written goes", `{"danger":false}`,
			`{"$coveredProperties":{"danger":{"key":"danger","shown":true,"stored":{"danger":true,"danger@v3":"very"}}}}`, `{}`},
		{"what a cover hides of parts that were not written stays", `{"inner":{"size":2,"lid":true}}`,
			`{"$coveredProperties":{"inner":{"key":"inner","shown":{"size":1,"lid":true},"stored":{"inner":{"size":1,"$propertyBag":{"lid":true,"lid@v3":"l","size@v3":"s"}},"inner@v3":[1]}}}}`,
			`{"$coveredProperties":{"inner":{"key":"inner","shown":{"size":2,"lid":true},"stored":{"inner":{"size":2,"lid":true,"$propertyBag":{"lid@v3":"l"}}}}}}`},
		{"a cover goes that hides nothing any more", `{"inner":{"lid":true}}`,
			`{"$coveredProperties":{"inner":{"key":"inner","shown":{"size":1},"stored":{"inner":{"size":1,"$propertyBag":{"size@v3":"s"}}}}}}`, `{}`},
		{"a cover goes whose member has another type now", `{"inner":[1]}`,
			`{"$coveredProperties":{"inner":{"key":"inner","shown":{"size":1},"stored":{"inner":{"size":1,"$propertyBag":{"lid@v3":"s"}}}}}}`, `{}`},
		{"a cover of what is gone goes", `{}`,
			`{"$coveredProperties":{"danger":{"key":"danger","shown":true,"stored":{"danger":true,"danger@v3":"very"}}}}`, `{}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var box replacingBox
			if err := genruntime.UnmarshalOpen([]byte(test.members), (*fixedReplacing)(&box), &box.AdditionalProperties); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.bag), &box.PropertyBag); err != nil {
				t.Fatal(err)
			}
			s, p := shape.Of(shape.Pointee(&box, 1)), shape.Address(&box)
			budget := 2 << 20
			additional.RemoveReplaced(s, p, &budget)
			if box.PropertyBag == nil {
				box.PropertyBag = runtime.PropertyBag{}
			}
			fixtures.SameText(t, "the bag", box.PropertyBag, test.want)
		})
	}
}

type fixedReplacing replacingBox

// TestRestoreForgetsReplacedValues writes a member through the API version of a storage type,
// whose bag has the property in another type, and removes it again.
func TestRestoreForgetsReplacedValues(t *testing.T) {
	stored := replacingBox{PropertyBag: runtime.PropertyBag{"danger": runtime.JSON("true"), "inner": runtime.JSON("{}")}}
	s, p := shape.Of(shape.Pointee(&stored, 1)), shape.Address(&stored)
	restored := func(members map[string]runtime.JSON) runtime.PropertyBag {
		w, r := hidden.NewGoWriter(nil), hidden.NewGoRestorer(nil)
		text, written := w.Bag(&hidden.Header{}, s, nil, p, nil)
		h, err := hidden.Read(string(text))
		if !written || err != nil {
			t.Fatalf("%s hides nothing: %v", text, err)
		}
		stored = replacingBox{AdditionalProperties: members}
		r.Restore(&h, s, nil, p, nil)
		return stored.PropertyBag
	}
	fixtures.SameText(t, "nobody writes it", restored(map[string]runtime.JSON{"x": runtime.JSON("1")}), `{"danger":true,"inner":{}}`)
	fixtures.SameText(t, "written", restored(map[string]runtime.JSON{"danger": runtime.JSON("5")}), `{"inner":{}}`)
	fixtures.SameText(t, "removed", restored(nil), `{"inner":{}}`)
}

// treeBox is open to others of its type.
type treeBox struct {
	Size                 *int64              `json:"size,omitzero"`
	AdditionalProperties map[string]treeBox  `json:"-" replaces:"{\"keys\":[{\"name\":\"a\",\"key\":\"a\",\"kind\":\"o\"}]}"`
	PropertyBag          runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (b treeBox) MarshalJSON() ([]byte, error) {
	type fixed treeBox
	return genruntime.MarshalOpen(fixed(b), b.AdditionalProperties)
}

func (b *treeBox) UnmarshalJSON(data []byte) error {
	type fixed treeBox
	return genruntime.UnmarshalOpen(data, (*fixed)(b), &b.AdditionalProperties, "size", "$propertyBag")
}

// TestTimeIsLinearInForgedCovers restores covers of objects within each other, which no conversion
// makes.
func TestTimeIsLinearInForgedCovers(t *testing.T) {
	linear.Check(t, func(n int) {
		var box treeBox
		s, p := shape.Of(shape.Pointee(&box, 1)), shape.Address(&box)
		r := codec.Reader{Cursor: jsontext.Cursor{Data: []byte(strings.Repeat(`{"a":`, n) + `{}` + strings.Repeat(`}`, n))}}
		if !r.Value(s, p) {
			t.Fatal(r.Err)
		}
		const cover = `{"bag":{"$coveredProperties":{"a":{"key":"a","shown":1,"stored":{"a":1}}}},"more":{"a":`
		h := hidden.Bag{Spec: runtime.JSON(strings.Repeat(cover, n) + `{}` + strings.Repeat(`}}`, n))}
		hidden.NewGoRestorer(nil).Restore(&h, s, nil, p, nil)
		if box.PropertyBag != nil {
			t.Errorf("the bag is %v", box.PropertyBag)
		}
	}, 500)
}

// TestCoversOfRespelledMembersStay checks that a cover stays if a client only changes the
// spelling of the visible value.
func TestCoversOfRespelledMembersStay(t *testing.T) {
	text := strings.Repeat("<>&", 100)
	visible, _ := jsontext.Marshal(text)
	respelled := `"` + strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(text) + `"`
	box := replacingBox{AdditionalProperties: map[string]runtime.JSON{"danger": runtime.JSON(respelled)}}
	const cover = `{"danger":{"key":"danger@v3","shown":%s,"stored":{"danger":true}}}`
	box.PropertyBag = runtime.PropertyBag{bag.CoveredKey: runtime.JSON(strings.Replace(cover, "%s", string(visible), 1))}
	s, p := shape.Of(shape.Pointee(&box, 1)), shape.Address(&box)
	budget := 2 << 20
	if additional.RemoveReplaced(s, p, &budget); box.PropertyBag[bag.CoveredKey] == nil {
		t.Error("the cover is gone")
	}
}
