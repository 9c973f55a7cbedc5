package genruntime

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// replacingBox is an openBox of the hub: it knows what its members replace in its bag.
type replacingBox struct {
	Known                *string                 `json:"known,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-" replaces:"*,!lid,danger(danger,danger@v3),inner(inner?o)"`
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
			if err := UnmarshalOpen([]byte(test.members), (*fixedReplacing)(&box), &box.AdditionalProperties); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.bag), &box.PropertyBag); err != nil {
				t.Fatal(err)
			}
			s, p := shapeOf(pointee(&box, 1)), target(&box)
			budget := 2 << 20
			s.settleMembers(p, &budget)
			if box.PropertyBag == nil {
				box.PropertyBag = runtime.PropertyBag{}
			}
			sameText(t, "the bag", box.PropertyBag, test.want)
		})
	}
}

type fixedReplacing replacingBox

func TestParseReplaced(t *testing.T) {
	keyY := furthers{{Name: "y", Key: "y"}}
	for _, test := range []struct {
		text string
		want replaced
	}{
		{"", replaced{}},
		{"*", replaced{all: true}},
		{`*,!lid,"a b"("a b",x@v3),y(y)`, replaced{all: true, foreign: map[string]bool{"lid": true}, keys: map[string]furthers{
			"a b": {{Name: "a b", Key: "a b"}, {Name: "a b", Key: "x@v3"}}, "y": keyY}}},
		{`y(y?lo"a,\"b c\"",y@v3?i)`, replaced{keys: map[string]furthers{
			"y": {{Name: "y", Key: "y", Kind: "lo", Free: `a,"b c"`}, {Name: "y", Key: "y@v3", Kind: "i"}}}}},
		{"y(y),(", replaced{keys: map[string]furthers{"y": keyY}}},
		{"y(y,", replaced{keys: map[string]furthers{"y": keyY}}},
		{"y(y),z", replaced{keys: map[string]furthers{"y": keyY}}},
		{"!(", replaced{}},
	} {
		if test.want.keys == nil {
			test.want.keys = map[string]furthers{}
		}
		if test.want.foreign == nil {
			test.want.foreign = map[string]bool{}
		}
		if diff := cmp.Diff(test.want, *parseReplaced(test.text), cmp.AllowUnexported(replaced{})); diff != "" {
			t.Errorf("%s: %s", test.text, diff)
		}
	}
}

// TestRestoreForgetsWhatWasReplaced writes a member through the API version of a storage type, whose bag has the property in
// another type, and removes it again.
func TestRestoreForgetsWhatWasReplaced(t *testing.T) {
	stored := replacingBox{PropertyBag: runtime.PropertyBag{"danger": runtime.JSON("true"), "inner": runtime.JSON("{}")}}
	s, p := shapeOf(pointee(&stored, 1)), target(&stored)
	restored := func(members map[string]runtime.JSON) runtime.PropertyBag {
		var w writer
		w.out = append(w.out, '[')
		if !w.part("", s, p) {
			t.Fatal("nothing is hidden")
		}
		stored = replacingBox{AdditionalProperties: members}
		r := restorer{}
		r.part(s, p, runtime.JSON(strings.TrimPrefix(string(w.out), "[")))
		return stored.PropertyBag
	}
	sameText(t, "nobody writes it", restored(map[string]runtime.JSON{"x": runtime.JSON("1")}), `{"danger":true,"inner":{}}`)
	sameText(t, "written", restored(map[string]runtime.JSON{"danger": runtime.JSON("5")}), `{"inner":{}}`)
	sameText(t, "removed", restored(nil), `{"inner":{}}`)
}

// treeBox is open to others of its type.
type treeBox struct {
	Size                 *int64              `json:"size,omitzero"`
	AdditionalProperties map[string]treeBox  `json:"-" replaces:"a(a?o)"`
	PropertyBag          runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (b treeBox) MarshalJSON() ([]byte, error) {
	type fixed treeBox
	return MarshalOpen(fixed(b), b.AdditionalProperties)
}

func (b *treeBox) UnmarshalJSON(data []byte) error {
	type fixed treeBox
	return UnmarshalOpen(data, (*fixed)(b), &b.AdditionalProperties, "size", "$propertyBag")
}

// TestTimeIsLinearInForgedCovers restores covers of objects within each other, which no conversion makes.
func TestTimeIsLinearInForgedCovers(t *testing.T) {
	checkLinear(t, func(n int) {
		var box treeBox
		s, p := shapeOf(pointee(&box, 1)), target(&box)
		r := valueReader{Cursor: jsontext.Cursor{Data: []byte(strings.Repeat(`{"a":`, n) + `{}` + strings.Repeat(`}`, n))}}
		if !r.value(s, p) {
			t.Fatal(r.err)
		}
		const cover = `{"bag":{"$coveredProperties":{"a":{"key":"a","shown":1,"stored":{"a":1}}}},"more":{"a":`
		(&restorer{}).part(s, p, runtime.JSON(strings.Repeat(cover, n)+`{}`+strings.Repeat(`}}`, n)))
		if box.PropertyBag != nil {
			t.Errorf("the bag is %v", box.PropertyBag)
		}
	}, 500)
}

// TestCoversOfRespelledMembersStay keeps a cover where a client has spelled what it shows with escapes.
func TestCoversOfRespelledMembersStay(t *testing.T) {
	text := strings.Repeat("<>&", 100)
	shown, _ := jsontext.Marshal(text)
	respelled := `"` + strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(text) + `"`
	box := replacingBox{AdditionalProperties: map[string]runtime.JSON{"danger": runtime.JSON(respelled)}}
	const cover = `{"danger":{"key":"danger@v3","shown":%s,"stored":{"danger":true}}}`
	box.PropertyBag = runtime.PropertyBag{bag.CoveredKey: runtime.JSON(strings.Replace(cover, "%s", string(shown), 1))}
	s, p := shapeOf(pointee(&box, 1)), target(&box)
	budget := 2 << 20
	if s.settleMembers(p, &budget); box.PropertyBag[bag.CoveredKey] == nil {
		t.Error("the cover is gone")
	}
}
