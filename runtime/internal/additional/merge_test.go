package additional

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/linear"
	"github.com/stratakube/strata/runtime/internal/notation"
)

// TestKeptParts merges values of kinds that contain objects.
func TestKeptParts(t *testing.T) {
	const one, two = `{"a":1,"$propertyBag":{"x@v1":1}}`, `{"a":2,"$propertyBag":{"x@v1":2}}`
	for _, test := range []struct {
		reason, kind       string
		free               notation.Lists
		written, was, want string
	}{
		{"an element that is as before", "lo", nil, `[{"a":1},{"a":3}]`, `[` + one + `,` + two + `]`, `[` + one + `,{"a":3}]`},
		{"an element that has moved", "lo", nil, `[{"a":2}]`, `[` + one + `,` + two + `]`, `[` + two + `]`},
		{"an element before others", "lo", nil, `[{"a":3},{"a":1},{"a":2}]`, `[` + one + `,` + two + `]`, `[{"a":3},` + one + `,` + two + `]`},
		{"more elements", "lo", nil, `[{"a":1},{"a":1}]`, `[` + one + `]`, `[` + one + `,{"a":1}]`},
		{"an edited element that has a value left", "lo", nil, `[{"a":1,"b":5},{"a":2,"b":4}]`,
			`[{"a":1,"b":3,"$propertyBag":{"x@v1":1,"b@v1":2}},{"a":2,"b":4}]`, `[{"a":1,"b":5,"$propertyBag":{"x@v1":1}},{"a":2,"b":4}]`},
		{"elements that have names", "lo", nil, `[{"name":"m","a":2},{"name":"n","a":3}]`,
			`[{"name":"n","a":2,"$propertyBag":{"x@v1":1}},{"name":"k","$propertyBag":{"x@v1":2}}]`, `[{"name":"m","a":2},{"name":"n","a":3,"$propertyBag":{"x@v1":1}}]`},
		{"lists in a list", "llo", nil, `[[{"a":1}],[{"a":3},{"a":2}]]`, `[[` + one + `],[` + two + `]]`, `[[` + one + `],[{"a":3},` + two + `]]`},
		{"a value of a map", "mo", nil, `{"k":{"a":2},"l":{"a":1}}`, `{"k":{"a":1,"$propertyBag":{"x@v1":1,"a@v1":"s"}},"m":{"$propertyBag":{"x@v1":1}}}`, `{"k":{"a":2,"$propertyBag":{"x@v1":1}},"l":{"a":1}}`},
		{"a key of a map that is called like a bag", "mo", nil, `{"$$propertyBag":{"a":1}}`, `{"$$propertyBag":` + one + `}`, `{"$$propertyBag":` + one + `}`},
		{"free JSON within", "o", notation.Lists{{{Name: "f"}}}, `{"f":{"$propertyBag":1,"a":1.0},"b":1}`, `{"f":{"$propertyBag":{"x@v1":1}},"$propertyBag":{"f@v1":1,"x@v1":1}}`, `{"f":{"$propertyBag":1,"a":1.0},"b":1,"$propertyBag":{"x@v1":1}}`},
		{"another kind within", "o", nil, `{"a":[1]}`, `{"a":{"$propertyBag":{"x@v1":1}}}`, `{"a":[1]}`},
		{"elements of the wrong type", "o", nil, `{"a":[1],"b":[1]}`, `{"a":[],"b":[1],"$propertyBag":{"a@v1!elements!raw":1,"b@v1!elements!raw":2}}`,
			`{"a":[1],"b":[1],"$propertyBag":{"b@v1!elements!raw":2}}`},
		{"a key that is no object of members", "o", nil, `{"a":2}`, `{"a":1,"$propertyBag":{"$additionalProperties":[1]}}`, `{"a":2,"$propertyBag":{"$additionalProperties":[1]}}`},
		{"a member that the bag has, too", "o", nil, `{"b":1}`, `{"a":1,"b":2,"$propertyBag":{"a":2,"c@v1":1}}`, `{"b":1,"$propertyBag":{"c@v1":1}}`},
		{"a bag that is none", "o", nil, `{"a":2}`, `{"a":1,"$propertyBag":[1]}`, `{"a":2}`},
	} {
		f := Further{Name: "n", Key: "n", Kind: test.kind, Free: test.free}
		if got := f.merged(runtime.JSON(test.written), runtime.JSON(test.was)); string(got) != test.want {
			t.Errorf("%s: %s, want %s", test.reason, got, test.want)
		}
	}
}

// TestTimeToKeepPartsIsLinear edits the innermost value of objects and lists in each other, all of
// which hide something.
func TestTimeToKeepPartsIsLinear(t *testing.T) {
	for _, f := range []Further{{Kind: "o"}, {Kind: "mo"}, {Kind: "lo"}} {
		linear.Check(t, func(n int) {
			before, after := `{"a":`, `,"$propertyBag":{"x@v1":1}}`
			if f.Kind == "lo" {
				before, after = `[{"name":"n","a":`, `,"$propertyBag":{"x@v1":1}}]`
			}
			was := strings.Repeat(before, n) + `1` + strings.Repeat(after, n)
			written := strings.Repeat(before, n) + `2` + strings.Repeat(strings.Replace(after, `,"$propertyBag":{"x@v1":1}`, "", 1), n)
			if f.Kind == "mo" {
				was, written = `{"k":`+was+`}`, `{"k":`+written+`}`
			}
			if kept := f.merged(runtime.JSON(written), runtime.JSON(was)); len(kept) <= len(written) {
				t.Errorf("nothing is kept of %d objects of kind %s", n, f.Kind)
			}
		}, 500)
	}
}
