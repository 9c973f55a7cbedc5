package genruntime

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"testing"

	"github.com/stratakube/strata/runtime"
)

// TestBagsInJSON wants property bags with entries to be found and taken out where a type has bags, and nowhere else.
func TestBagsInJSON(t *testing.T) {
	const bag, none = `"$propertyBag":{"a":1}`, `"$propertyBag":{}`
	spec := shapeOf(reflect.TypeFor[storedSpec]())
	for _, test := range []struct {
		json    string
		hides   bool
		without string
	}{
		{`{` + bag + `,"size":"s"}`, true, `{"size":"s"}`},
		{`{"size":"s",` + none + `,"count":1}`, false, `{"size":"s","count":1}`},
		{`{"main":{"color":"c",` + bag + `,"weight":1}}`, true, `{"main":{"color":"c","weight":1}}`},
		{`{"main":{` + none + `}}`, false, `{"main":{}}`},
		{`{"parts":[{},{` + bag + `},{"color":"c"}]}`, true, `{"parts":[{},{},{"color":"c"}]}`},
		{`{"rows":[[],[{` + bag + `}]]}`, true, `{"rows":[[],[{}]]}`},
		{`{"spares":{"x":{},"y":{` + bag + `}}}`, true, `{"spares":{"x":{},"y":{}}}`},
		{`{"open":{"other":{` + bag + `}}}`, true, `{"open":{"other":{}}}`},
		{`{"open":{"other":{` + none + `}}}`, false, `{"open":{"other":{}}}`},
		{`{"free":{` + bag + `}}`, false, `{"free":{` + bag + `}}`},
		{`{"tags":{"$propertyBag":"text"}}`, false, `{"tags":{"$propertyBag":"text"}}`},
		{`{"lines":["\"$propertyBag\":{}"]}`, false, `{"lines":["\"$propertyBag\":{}"]}`},
	} {
		if got := hidesIn(spec, []byte(test.json)); got != test.hides {
			t.Errorf("%s hides something: %t", test.json, got)
		}
		if got := string(withoutBags(nil, spec, []byte(test.json))); got != test.without {
			t.Errorf("%s without bags is %s, want %s", test.json, got, test.without)
		}
	}
}

// TestMembersAreTakenOut wants all members of a name to go, and the others to stay as they are spelled.
func TestMembersAreTakenOut(t *testing.T) {
	for object, want := range map[string]string{
		`{}`:                           `{}`,
		`{"a":1}`:                      `{}`,
		`{"b":2}`:                      `{"b":2}`,
		`{"a":1,"b":[2 ],"a":3,"c":4}`: `{"b":[2 ],"c":4}`,
		`{"b":2,"a":{"a":1}}`:          `{"b":2}`,
	} {
		if got := string(withoutMember([]byte(object), "a")); got != want {
			t.Errorf("%s is %s, want %s", object, got, want)
		}
	}
}

// TestFloatsAreWrittenAsByTheStandardLibrary compares at the borders of the two forms of a number.
func TestFloatsAreWrittenAsByTheStandardLibrary(t *testing.T) {
	for _, f := range []float64{0, 1, -1, 0.1, 1e-6, 9.99e-7, 1e-7, -1e-7, 1.5e-10, 1e-100, 1e20, 1e21, -1e21, 1.5e22, 1e100, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		want, err := json.Marshal(map[string]any{"ratio": f})
		if err != nil {
			t.Fatal(err)
		}
		w := valueWriter{}
		if out, err := w.root(shapeOf(reflect.TypeFor[storedPart]()), target(&storedPart{Ratio: &f}), nil); err != nil || string(out) != string(want) {
			t.Errorf("%s is written %s (%v), want %s", strconv.FormatFloat(f, 'g', -1, 64), out, err, want)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if out, err := Encode(&storedGadget{Spec: &storedSpec{Main: &storedPart{Ratio: &f}}}); err == nil {
			t.Errorf("%v is written %s", f, out)
		}
	}
}

func TestNullsThatStay(t *testing.T) {
	for of, want := range map[reflect.Type]bool{
		reflect.TypeFor[*string]():            true,
		reflect.TypeFor[[]string]():           true,
		reflect.TypeFor[map[string]string]():  true,
		reflect.TypeFor[runtime.JSON]():       true,
		reflect.TypeFor[string]():             false,
		reflect.TypeFor[int64]():              false,
		reflect.TypeFor[struct{ A string }](): false,
	} {
		if got := shapeOf(of).isNullable(); got != want {
			t.Errorf("a null in a list of %s stays one: %t", of, got)
		}
	}
}

func TestSameJSON(t *testing.T) {
	for _, test := range []struct {
		a, b runtime.JSON
		want bool
	}{
		{nil, nil, true},
		{nil, runtime.JSON(`null`), false},
		{runtime.JSON(`1`), nil, false},
		{runtime.JSON(`1`), runtime.JSON(`1.0`), true},
		{runtime.JSON(`{"a":1,"b":2}`), runtime.JSON(`{"b":2, "a":1}`), true},
		{runtime.JSON(`{"a":1}`), runtime.JSON(`{"a":1,"b":2}`), false},
		{runtime.JSON(`{"a":1,"b":2}`), runtime.JSON(`{"a":1}`), false},
		{runtime.JSON(`{`), runtime.JSON(`1`), false},
		{runtime.JSON(`1`), runtime.JSON(`1e400`), false},
		{runtime.JSON(`1e400`), runtime.JSON(`1`), false},
		{runtime.JSON(`1e400`), runtime.JSON(`1e401`), false},
		{runtime.JSON(`9007199254740992`), runtime.JSON(`9007199254740993`), false},
		{runtime.JSON(`{"a":null}`), runtime.JSON(`{}`), false},
		{runtime.JSON(`[null]`), runtime.JSON(`[]`), false},
		{runtime.JSON(`1`), runtime.JSON(`{`), false},
		{runtime.JSON(`{`), runtime.JSON(`[`), false},
	} {
		if got := isSame(test.a, test.b); got != test.want {
			t.Errorf("%s and %s are the same: %t", test.a, test.b, got)
		}
	}
}
