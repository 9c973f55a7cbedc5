package convert

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// forgedBags are hidden values of a spec in a form that Hide does not write: the API object's
// spec, the hidden values, and the stored spec.
var forgedBags = []struct {
	reason, spec, hidden, want string
	refused                    bool
}{
	{"sections in another order", `{"main":{"inner":{}}}`, `{"in":{"main":{"in":{"inner":{"bag":{"k":1}}},"bag":{"k":2}}}}`, `{"main":{"inner":{"$propertyBag":{"k":1}}}}`, false},
	{"a section twice", `{"main":{"inner":{}}}`, `{"in":{"main":{"bag":{"k":1},"bag":{"l":2}}}}`, `{"main":{"inner":{},"$propertyBag":{"k":1}}}`, false},
	{"members in another order", `{"main":{},"open":{}}`, `{"in":{"open":{"bag":{"k":1}},"main":{"bag":{"k":1}}}}`, `{"main":{},"open":{"$propertyBag":{"k":1}}}`, false},
	{"a member twice", `{"main":{}}`, `{"in":{"main":{"bag":{"k":1}},"main":{"bag":{"k":2}}}}`, `{"main":{"$propertyBag":{"k":1}}}`, false},
	{"keys in another order", `{"spares":{"a":{},"b":{}}}`, `{"in":{"spares":{"in":{"b":{"bag":{"k":1}},"a":{"bag":{"k":1}}}}}}`, `{"spares":{"a":{},"b":{"$propertyBag":{"k":1}}}}`, false},
	{"a map twice", `{"spares":{"a":{},"b":{}}}`, `{"in":{"spares":{"in":{"a":{"bag":{"k":1}}},"in":{"b":{"bag":{"k":1}}}}}}`, `{"spares":{"a":{"$propertyBag":{"k":1}},"b":{}}}`, false},
	{"an additional member in place of another", `{"open":{"known":{},"x":{}}}`, `{"in":{"open":{"in":{"x":{"bag":{"k":1}}},"more":{"known":{"bag":{"k":1}}}}}}`, `{"open":{"known":{},"x":{}}}`, false},
	{"an element twice", `{"parts":[{},{}]}`, `{"in":{"parts":{"all":"AAAAAAAAAAAAAAAAAAAAAA","in":[[1,{"bag":{"k":1}}],[1,{"bag":{"k":2}}]]}}}`, `{"parts":[{},{"$propertyBag":{"k":1}}]}`, false},
	{"a key of an entry twice", `{"main":{}}`, `{"in":{"main":{"bag":{"k":1,"k":2}}}}`, `{"main":{"$propertyBag":{"k":1}}}`, true},
	{"a name with an escape", `{"main":{}}`, `{"in":{"m\u0061in":{"bag":{"k":1}}}}`, `{"main":{"$propertyBag":{"k":1}}}`, false},
	{"a key with an escape", `{"main":{}}`, `{"in":{"main":{"bag":{"a\/b":1}}}}`, `{"main":{"$propertyBag":{"a/b":1}}}`, false},
	{"white space", `{"main":{ }}`, ` { "in" : { "main" : { "bag" : { "k" : [ 1 ] } } } } `, `{"main":{"$propertyBag":{"k":[1]}}}`, false},
}

// TestForgedBags requires that both engines restore the same of a bag that Hide did not write, or
// that plans refuse it.
func TestForgedBags(t *testing.T) {
	up, _ := gadgetWays(t)
	for _, test := range forgedBags {
		t.Run(test.reason, func(t *testing.T) {
			bag := `{"fingerprints":2,"format":1,"spec":` + test.hidden + `}`
			api := []byte(gadgetHead + `,"spec":` + test.spec + `,"status":{"propertyBag":` + string(jsontext.AppendText(nil, bag)) + `}}`)
			want := strings.TrimSuffix(test.want, "}") + `,"originalVersion":"` + fixtures.GadgetVersion + `"}`
			typed, err := gadgetUp(api)
			if err != nil {
				t.Fatal(err)
			}
			fixtures.SameJSONText(t, "by Go types", jsontext.MemberOf(typed, "spec"), want)
			planned, ok := tryAppend(up, nil, api)
			if ok == test.refused {
				t.Fatalf("the plan refuses it: %v", !ok)
			}
			if ok {
				fixtures.SameJSONText(t, "by the plan", jsontext.MemberOf(planned, "spec"), want)
			}
		})
	}
}
