package additional

import (
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/linear"
)

// TestHiding checks which covers store more than their members show. A null that a member shows
// may be absent in its cover.
func TestHiding(t *testing.T) {
	for _, test := range []struct {
		reason, cover string
		hides         bool
	}{
		{"what the member shows", `{"key":"a","shown":1,"stored":{"a":1.0}}`, false},
		{"members in another order", `{"key":"a","shown":{"x":1,"y":2},"stored":{"a":{"y":2,"x":1}}}`, false},
		{"a member that is in a bag", `{"key":"a","shown":{"x":[{}]},"stored":{"a":{"$propertyBag":{"x":[{}]}}}}`, false},
		{"another value in a bag", `{"key":"a","shown":{"x":[{}]},"stored":{"a":{"$propertyBag":{"x":[]}}}}`, true},
		{"an entry of another version", `{"key":"a","shown":{"x":1},"stored":{"a":{"x":1,"$propertyBag":{"x@v2":2}}}}`, true},
		{"two values of a member", `{"key":"a","shown":{"x":1},"stored":{"a":{"x":1,"$propertyBag":{"x":2}}}}`, true},
		{"a member that is named like a bag", `{"key":"a","shown":{"$propertyBag":1},"stored":{"a":{"$$propertyBag":1}}}`, false},
		{"free JSON with such a member", `{"key":"a","shown":{"$propertyBag":{"x@v2":1}},"stored":{"a":{"$propertyBag":{"x@v2":1}}}}`, false},
		{"typed members that are in bags", `{"key":"a","shown":{"$$propertyBag":1,"$propertyBag":{"x":1}},"stored":{"a":{"x":1,"$$propertyBag":1}}}`, false},
		{"a null", `{"key":"a","shown":null,"stored":{"a":null}}`, false},
		{"a null that is not written", `{"key":"a","stored":{"a":null}}`, false},
		{"another value", `{"key":"a","shown":1,"stored":{"a":2}}`, true},
		{"a value where the member shows null", `{"key":"a","stored":{"a":2}}`, true},
		{"another key", `{"key":"a","shown":1,"stored":{"b":1}}`, true},
		{"two values", `{"key":"a","shown":1,"stored":{"a":1,"b":1}}`, true},
		{"a value twice", `{"key":"a","shown":1,"stored":{"a":1,"a":1}}`, true},
		{"no value", `{"key":"a","shown":1,"stored":{}}`, true},
		{"nothing stored", `{"key":"a","shown":1}`, true},
		{"no cover", `7`, true},
	} {
		names, ok := Hiding(runtime.JSON(`{"x":` + test.cover + `}`))
		if hides := slices.Contains(names, "x"); !ok || hides != test.hides {
			t.Errorf("%s hides values: %t, want %t", test.reason, hides, test.hides)
		}
	}
}

// TestTimeOfCoversIsLinear has forged covers that repeat names.
func TestTimeOfCoversIsLinear(t *testing.T) {
	for reason, name := range map[string]string{"the key": "a", "another name": "b"} {
		t.Run(reason, func(t *testing.T) {
			linear.Check(t, func(n int) {
				Hiding(runtime.JSON(`{"x":{"stored":{` + strings.Repeat(`"`+name+`":1,`, n) + `"c":2},"key":"a","shown":1}}`))
			}, 1000)
		})
	}
}
