package genruntime_test

import (
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// TestEditsPreserveHiddenValues edits an additional member that another version has as an
// object, in whose bag are values that no client of this version sees: those of members that the
// client has not changed stay.
func TestEditsPreserveHiddenValues(t *testing.T) {
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
			if err := convert.Decode([]byte(`{"inner":`+hidden+`}`), &named); err != nil {
				t.Fatal(err)
			}
			var open openBox
			openFromNamed(&named, &open)
			fixtures.SameJSONText(t, "shown", open.AdditionalProperties["inner"], `{"size":1,"lid":true,"deep":{"a":1}}`)
			open.AdditionalProperties = map[string]runtime.JSON{"inner": runtime.JSON(test.written)}
			var back namedBox
			openToNamed(&open, &back)
			if test.want == "" {
				if back.Inner != nil {
					t.Errorf("written: %v", back.Inner)
				}
				return
			}
			fixtures.SameText(t, "written", back.Inner, test.want)
			var again openBox
			openFromNamed(&back, &again)
			fixtures.SameJSONText(t, "shown again", again.AdditionalProperties["inner"], test.written)
		})
	}
}
