package genruntime

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
)

// TestEditsKeepWhatClientsHaveNotSeen edits an additional member that another version has as an
// object, in whose bag are values that no client of this version sees: those of members that the
// client has not changed stay.
func TestEditsKeepWhatClientsHaveNotSeen(t *testing.T) {
	const hidden = `{"size":1,"$propertyBag":{"lid":true,"lid@v9!raw":"x","size@v3":"big","deep":{"a":1,"$propertyBag":{"b@v2":2}},"$additionalProperties":{"x":1,"y":2},"other@v3":"o","@v8!raw":7}}`
	for _, test := range []struct {
		reason, written, want string
	}{
		{"nothing is changed", `{"size":1,"lid":true,"deep":{"a":1}}`, hidden},
		{"a member is added", `{"size":1,"lid":true,"deep":{"a":1},"new":0}`,
			`{"size":1,"$propertyBag":{"lid":true,"new":0,"lid@v9!raw":"x","size@v3":"big","deep":{"a":1,"$propertyBag":{"b@v2":2}},"$additionalProperties":{"x":1,"y":2},"other@v3":"o","@v8!raw":7}}`},
		{"a member is changed", `{"size":2,"lid":true,"deep":{"a":1}}`,
			`{"size":2,"$propertyBag":{"lid":true,"lid@v9!raw":"x","deep":{"a":1,"$propertyBag":{"b@v2":2}},"$additionalProperties":{"x":1,"y":2},"other@v3":"o","@v8!raw":7}}`},
		{"a member is removed", `{"size":1,"deep":{"a":1}}`,
			`{"size":1,"$propertyBag":{"lid@v9!raw":"x","size@v3":"big","deep":{"a":1,"$propertyBag":{"b@v2":2}},"$additionalProperties":{"x":1,"y":2},"other@v3":"o","@v8!raw":7}}`},
		{"members of hidden names are written", `{"size":1,"lid":true,"deep":{"a":1},"other":1,"x":3}`,
			`{"size":1,"$propertyBag":{"lid":true,"other":1,"x":3,"lid@v9!raw":"x","size@v3":"big","deep":{"a":1,"$propertyBag":{"b@v2":2}},"$additionalProperties":{"y":2},"@v8!raw":7}}`},
		{"a member within is changed", `{"size":1,"lid":true,"deep":{"a":2}}`,
			`{"size":1,"$propertyBag":{"lid":true,"lid@v9!raw":"x","deep":{"a":2,"$propertyBag":{"b@v2":2}},"size@v3":"big","$additionalProperties":{"x":1,"y":2},"other@v3":"o","@v8!raw":7}}`},
		{"another type", `{"size":"s"}`, ``},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var named namedBox
			if err := Decode([]byte(`{"inner":`+hidden+`}`), &named); err != nil {
				t.Fatal(err)
			}
			var open openBox
			openFromNamed(&named, &open)
			sameJSONText(t, "shown", open.AdditionalProperties["inner"], `{"size":1,"lid":true,"deep":{"a":1}}`)
			open.AdditionalProperties = map[string]runtime.JSON{"inner": runtime.JSON(test.written)}
			var back namedBox
			openToNamed(&open, &back)
			if test.want == "" {
				if back.Inner != nil {
					t.Errorf("written: %v", back.Inner)
				}
				return
			}
			sameText(t, "written", back.Inner, test.want)
			var again openBox
			openFromNamed(&back, &again)
			sameJSONText(t, "shown again", again.AdditionalProperties["inner"], test.written)
		})
	}
}

// TestKeptParts merges values of kinds that hold objects.
func TestKeptParts(t *testing.T) {
	const one, two = `{"a":1,"$propertyBag":{"x@v1":1}}`, `{"a":2,"$propertyBag":{"x@v1":2}}`
	for _, test := range []struct {
		reason, kind, free, written, was, want string
	}{
		{"an element that is as before", "lo", "", `[{"a":1},{"a":3}]`, `[` + one + `,` + two + `]`, `[` + one + `,{"a":3}]`},
		{"an element that has moved", "lo", "", `[{"a":2}]`, `[` + one + `,` + two + `]`, `[` + two + `]`},
		{"an element before others", "lo", "", `[{"a":3},{"a":1},{"a":2}]`, `[` + one + `,` + two + `]`, `[{"a":3},` + one + `,` + two + `]`},
		{"more elements", "lo", "", `[{"a":1},{"a":1}]`, `[` + one + `]`, `[` + one + `,{"a":1}]`},
		{"an edited element that has a value left", "lo", "", `[{"a":1,"b":5},{"a":2,"b":4}]`,
			`[{"a":1,"b":3,"$propertyBag":{"x@v1":1,"b@v1":2}},{"a":2,"b":4}]`, `[{"a":1,"b":5,"$propertyBag":{"x@v1":1}},{"a":2,"b":4}]`},
		{"elements that have names", "lo", "", `[{"name":"m","a":2},{"name":"n","a":3}]`,
			`[{"name":"n","a":2,"$propertyBag":{"x@v1":1}},{"name":"k","$propertyBag":{"x@v1":2}}]`, `[{"name":"m","a":2},{"name":"n","a":3,"$propertyBag":{"x@v1":1}}]`},
		{"lists in a list", "llo", "", `[[{"a":1}],[{"a":3},{"a":2}]]`, `[[` + one + `],[` + two + `]]`, `[[` + one + `],[{"a":3},` + two + `]]`},
		{"a value of a map", "mo", "", `{"k":{"a":2},"l":{"a":1}}`, `{"k":{"a":1,"$propertyBag":{"x@v1":1,"a@v1":"s"}},"m":{"$propertyBag":{"x@v1":1}}}`, `{"k":{"a":2,"$propertyBag":{"x@v1":1}},"l":{"a":1}}`},
		{"a key of a map that is called like a bag", "mo", "", `{"$$propertyBag":{"a":1}}`, `{"$$propertyBag":` + one + `}`, `{"$$propertyBag":` + one + `}`},
		{"free JSON within", "o", "f", `{"f":{"$propertyBag":1,"a":1.0},"b":1}`, `{"f":{"$propertyBag":{"x@v1":1}},"$propertyBag":{"f@v1":1,"x@v1":1}}`, `{"f":{"$propertyBag":1,"a":1.0},"b":1,"$propertyBag":{"x@v1":1}}`},
		{"another kind within", "o", "", `{"a":[1]}`, `{"a":{"$propertyBag":{"x@v1":1}}}`, `{"a":[1]}`},
		{"elements of the wrong type", "o", "", `{"a":[1],"b":[1]}`, `{"a":[],"b":[1],"$propertyBag":{"a@v1!elements!raw":1,"b@v1!elements!raw":2}}`,
			`{"a":[1],"b":[1],"$propertyBag":{"b@v1!elements!raw":2}}`},
		{"a key that is no object of members", "o", "", `{"a":2}`, `{"a":1,"$propertyBag":{"$additionalProperties":[1]}}`, `{"a":2,"$propertyBag":{"$additionalProperties":[1]}}`},
		{"a member that the bag has, too", "o", "", `{"b":1}`, `{"a":1,"b":2,"$propertyBag":{"a":2,"c@v1":1}}`, `{"b":1,"$propertyBag":{"c@v1":1}}`},
		{"a bag that is none", "o", "", `{"a":2}`, `{"a":1,"$propertyBag":[1]}`, `{"a":2}`},
	} {
		f := Further{Name: "n", Key: "n", Kind: test.kind, Free: test.free}
		if got := f.withKept(runtime.JSON(test.written), runtime.JSON(test.was)); string(got) != test.want {
			t.Errorf("%s: %s, want %s", test.reason, got, test.want)
		}
	}
}

// TestTimeToKeepPartsIsLinear edits the innermost value of objects and lists in each other, all of
// which hide something.
func TestTimeToKeepPartsIsLinear(t *testing.T) {
	for _, f := range []Further{{Kind: "o"}, {Kind: "mo"}, {Kind: "lo"}} {
		checkLinear(t, func(n int) {
			before, after := `{"a":`, `,"$propertyBag":{"x@v1":1}}`
			if f.Kind == "lo" {
				before, after = `[{"name":"n","a":`, `,"$propertyBag":{"x@v1":1}}]`
			}
			was := strings.Repeat(before, n) + `1` + strings.Repeat(after, n)
			written := strings.Repeat(before, n) + `2` + strings.Repeat(strings.Replace(after, `,"$propertyBag":{"x@v1":1}`, "", 1), n)
			if f.Kind == "mo" {
				was, written = `{"k":`+was+`}`, `{"k":`+written+`}`
			}
			if kept := f.withKept(runtime.JSON(written), runtime.JSON(was)); len(kept) <= len(written) {
				t.Errorf("nothing is kept of %d objects of kind %s", n, f.Kind)
			}
		}, 500)
	}
}
