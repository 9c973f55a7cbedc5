package hidden_test

import (
	"reflect"
	"testing"

	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/hidden"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// TestBagsInJSON wants property bags with entries to be found and taken out where a type has bags,
// and nowhere else.
func TestBagsInJSON(t *testing.T) {
	const bag, none = `"$propertyBag":{"a":1}`, `"$propertyBag":{}`
	spec := shape.Of(reflect.TypeFor[fixtures.StoredSpec]())
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
		if got := hidden.HidesJSON(spec, []byte(test.json)); got != test.hides {
			t.Errorf("%s hides something: %t", test.json, got)
		}
		if got := string(hidden.WithoutBags(spec, []byte(test.json))); got != test.without {
			t.Errorf("%s without bags is %s, want %s", test.json, got, test.without)
		}
	}
}
