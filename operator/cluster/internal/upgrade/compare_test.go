package upgrade

import (
	"strings"
	"testing"
)

// TestDifference checks where two objects differ first, and that paths never have values.
func TestDifference(t *testing.T) {
	for _, test := range []struct{ reason, a, b, want string }{
		{"nothing", `{"a":[1,{"b":null}]}`, `{"a":[1,{"b":null}]}`, ""},
		{"the order of members", `{"a":1,"b":2}`, `{"b":2,"a":1}`, ""},
		{"the spelling of a number", `{"a":1.0}`, `{"a":1e0}`, ""},
		{"a large integer", `{"a":9007199254740993}`, `{"a":9007199254740992}`, "a"},
		{"a large exponent", `{"a":1e999999999}`, `{"a":1e999999998}`, "a"},
		{"the same large exponent", `{"a":1e999999999}`, `{"a":1e999999999}`, ""},
		{"a value", `{"a":{"b":"x"}}`, `{"a":{"b":"y"}}`, "a.b"},
		{"a type", `{"a":{"b":"1"}}`, `{"a":{"b":1}}`, "a.b"},
		{"an object for a list", `{"a":{}}`, `{"a":[]}`, "a"},
		{"a member more", `{"a":{}}`, `{"a":{"b":null}}`, "a.b"},
		{"a member less", `{"a":{"b":[]}}`, `{"a":{}}`, "a.b"},
		{"an element", `{"a":[1,2]}`, `{"a":[1,3]}`, "a[1]"},
		{"the length of a list", `{"a":[1]}`, `{"a":[1,1]}`, "a"},
		{"null for false", `{"a":null}`, `{"a":false}`, "a"},
		{"a name that terminals interpret", `{"\u001b[2J":1}`, `{}`, `["\x1b[2J"]`},
		{"a name with a dot", `{"a":{"b.c":1}}`, `{"a":{}}`, `a["b.c"]`},
		{"no name", `{"":1}`, `{}`, `[""]`},
		{"a long name", `{"` + strings.Repeat("n", 1000) + `":1}`, `{}`, `["` + strings.Repeat("n", maxName) + `"]`},
	} {
		a, err := decode([]byte(test.a))
		if err != nil {
			t.Fatal(err)
		}
		b, err := decode([]byte(test.b))
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]map[string]any{{a, b}, {b, a}} {
			got, differs := difference(pair[0], pair[1], "")
			if differs != (test.want != "") || (differs && got != test.want) {
				t.Errorf("%s: %q, %v, want %q", test.reason, got, differs, test.want)
			}
		}
	}
}

// TestWithoutBag checks that only the bag, and what stores it, is left out.
func TestWithoutBag(t *testing.T) {
	for given, want := range map[string]string{
		`{"apiVersion":"a/v1","kind":"A","status":{"propertyBag":"{}"}}`:  `{"kind":"A"}`,
		`{"kind":"A","status":{"propertyBag":"{}","b":1}}`:                `{"kind":"A","status":{"b":1}}`,
		`{"kind":"A","status":"s","spec":{"status":{"propertyBag":"b"}}}`: `{"kind":"A","status":"s","spec":{"status":{"propertyBag":"b"}}}`,
		`{"kind":"A"}`: `{"kind":"A"}`,
	} {
		object, err := decode([]byte(given))
		if err != nil {
			t.Fatal(err)
		}
		before, _ := decode([]byte(given))
		expected, _ := decode([]byte(want))
		if at, differs := difference(expected, withoutBag(object), ""); differs {
			t.Errorf("%s differs from %s at %s", given, want, at)
		}
		if at, differs := difference(before, object, ""); differs {
			t.Errorf("%s was changed at %s", given, at)
		}
	}
}
