package operation_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
)

func TestOperations(t *testing.T) {
	for _, test := range []struct {
		reason              string
		of                  operation.Operation
		value, before, want string // "" for nothing
	}{
		{"a value becomes a list", operation.Plural, `"a"`, ``, `["a"]`},
		{"the other elements stay", operation.Plural, `"b"`, `["a", "x",{"y":1}]`, `["b","x",{"y":1}]`},
		{"an empty list has no other elements", operation.Plural, `"b"`, `[]`, `["b"]`},
		{"a list of lists", operation.Plural, `[1]`, `[[2],[3]]`, `[[1],[3]]`},
		{"what is no list is replaced", operation.Plural, `1`, `{"a":1}`, `[1]`},
		{"the first element", operation.Singular, `["a","b"]`, `"c"`, `"a"`},
		{"an empty list has none", operation.Singular, `[]`, `"c"`, ``},
		{"a null is none", operation.Singular, `[null,1]`, ``, ``},
		{"what is no list has none", operation.Singular, `"a"`, ``, ``},
		{"a value becomes a member", operation.Wrap("value"), `5`, ``, `{"value":5}`},
		{"the other members stay", operation.Wrap("value"), `6`, `{"unit":"Mi","value":5,"$propertyBag":{"k":1}}`, `{"value":6,"unit":"Mi","$propertyBag":{"k":1}}`},
		{"names are escaped", operation.Wrap("a\"b"), `6`, `{"x\"y":1,"a\"b":2}`, `{"a\"b":6,"x\"y":1}`},
		{"a member", operation.Unwrap("value"), `{"unit":"Mi","value":5}`, ``, `5`},
		{"no such member", operation.Unwrap("value"), `{"unit":"Mi"}`, `5`, ``},
		{"a null is no member", operation.Unwrap("value"), `{"value":null}`, ``, ``},
		{"what is no object has no member", operation.Unwrap("value"), `[5]`, ``, ``},
		{"parts of a text", operation.Split(","), `"a,b"`, ``, `["a","b"]`},
		{"no separator", operation.Split(","), `"a"`, ``, `["a"]`},
		{"an empty separator", operation.Split(""), `"ab"`, ``, `["ab"]`},
		{"an empty text has no parts", operation.Split(","), `""`, ``, `[]`},
		{"empty parts", operation.Split("::"), `"::a::"`, ``, `["","a",""]`},
		{"what is no text has no parts", operation.Split(","), `5`, ``, ``},
		{"what has a text in it has no parts", operation.Split(","), `{"a":"b"}`, ``, ``},
		{"objects cannot be joined", operation.Join(","), `["a",{"b":"c"}]`, ``, ``},
		{"texts are joined", operation.Join(","), `["a","b"]`, ``, `"a,b"`},
		{"an empty list is an empty text", operation.Join(","), `[]`, ``, `""`},
		{"texts are escaped", operation.Join("\n"), `["\"a","b\u0041"]`, ``, `"\"a\nbA"`},
		{"other elements cannot be joined", operation.Join(","), `["a",1]`, ``, ``},
		{"what is no list cannot be joined", operation.Join(","), `"a"`, ``, ``},
		{"a value only moves", operation.Unchanged, `{"a": 1}`, `2`, `{"a": 1}`},
		{"values have other names, in lists and maps", operation.Rename("a", "b", "b", "a"), `{"a":["a", "b","c"],"x":{"y":"b"},"n":[1,{}]}`, ``,
			`{"a":["b","a","c"],"x":{"y":"a"},"n":[1,{}]}`},
		{"names are escaped in values", operation.Rename("a", "\n"), `"a"`, ``, `"\n"`},
		{"numbers grow", operation.ScaleWhole(1000, 1), `-7`, ``, `-7000`},
		{"numbers are truncated", operation.ScaleWhole(1, 1000), `1999`, ``, `1`},
		{"negative numbers are truncated toward zero", operation.ScaleWhole(1, 1000), `-1999`, ``, `-1`},
		{"a fraction", operation.ScaleWhole(3, 2), `5`, ``, `7`},
		{"the largest number between", operation.ScaleWhole(1000, 1000), `9223372036854775807`, ``, `9223372036854775807`},
		{"the smallest number", operation.ScaleWhole(1, 1), `-9223372036854775808`, ``, `-9223372036854775808`},
		{"a number beyond the largest", operation.ScaleWhole(2, 1), `4611686018427387904`, ``, ``},
		{"a number beyond the smallest", operation.ScaleWhole(2, 1), `-4611686018427387905`, ``, ``},
		{"a number beyond both", operation.ScaleWhole(1<<62, 1), `9223372036854775807`, ``, ``},
		{"a number just beyond both", operation.ScaleWhole(1<<62, 1), `4`, ``, ``},
		{"no integer", operation.ScaleWhole(2, 1), `1.5`, ``, ``},
		{"numbers have decimals", operation.Scale(1, 1000), `1500`, ``, `1.5`},
		{"numbers grow too large", operation.Scale(1000, 1), `1e308`, ``, ``},
		{"what is no number", operation.Scale(1000, 1), `"7"`, ``, ``},
		{"a list becomes a map", operation.Key("name"), `[{"name":"b","x":1},{"y":[2],"name":"a"},{"name":""}]`, ``, `{"":{},"a":{"y":[2]},"b":{"x":1}}`},
		{"an empty list is an empty map", operation.Key("name"), `[]`, `{"a":{}}`, `{}`},
		{"two objects have one key", operation.Key("name"), `[{"name":"a"},{"name":"b"},{"name":"a"}]`, ``, ``},
		{"two spellings of one key", operation.Key("name"), `[{"name":"a"},{"name":"\u0061"}]`, ``, ``},
		{"a key has its name in storage", operation.Key("name"), `[{"name":"$propertyBag"}]`, ``, `{"$$propertyBag":{}}`},
		{"a name has that of the API", operation.List("name"), `{"$$propertyBag":{}}`, ``, `[{"name":"$propertyBag"}]`},
		{"an object lacks its key", operation.Key("name"), `[{"name":"a"},{"x":1}]`, ``, ``},
		{"a null is no key", operation.Key("name"), `[{"name":null}]`, ``, ``},
		{"a number is no key", operation.Key("name"), `[{"name":1}]`, ``, ``},
		{"an element is no object", operation.Key("name"), `[{"name":"a"},null]`, ``, ``},
		{"what is no list has no map", operation.Key("name"), `{"name":"a"}`, ``, ``},
		{"keys are escaped", operation.Key("na\"me"), `[{"na\"me":"a\"b\n"}]`, ``, `{"a\"b\n":{}}`},
		{"a map becomes a list, sorted", operation.List("name"), `{"b":{"x":1},"a":{}}`, ``, `[{"name":"a"},{"name":"b","x":1}]`},
		{"the order stays", operation.List("name"), `{"a":{"x":2},"b":{},"d":{},"c":{}}`, `[{"name":"d"},{"name":"gone"},{"x":1,"name":"a"}]`,
			`[{"name":"d"},{"name":"a","x":2},{"name":"b"},{"name":"c"}]`},
		{"the first of two positions counts", operation.List("name"), `{"a":{},"b":{}}`, `[{"name":"b"},{"name":"a"},{"name":"b"}]`, `[{"name":"b"},{"name":"a"}]`},
		{"an order that cannot be read", operation.List("name"), `{"b":{},"a":{}}`, `[{"name":"b"},{}]`, `[{"name":"a"},{"name":"b"}]`},
		{"an empty map is an empty list", operation.List("name"), `{}`, `[{"name":"a"}]`, `[]`},
		{"an object has a member of that name", operation.List("name"), `{"a":{"name":"b"}}`, ``, ``},
		{"a null is no such member", operation.List("name"), `{"a":{"name":null}}`, ``, `[{"name":"a"}]`},
		{"an entry is no object", operation.List("name"), `{"a":null}`, ``, ``},
		{"what is no map has no list", operation.List("name"), `[]`, ``, ``},
	} {
		t.Run(test.reason, func(t *testing.T) {
			value, before := runtime.JSON(test.value), runtime.JSON(test.before)
			if got := string(test.of.Apply(value, before)); got != test.want {
				t.Errorf("%s, where %s was, became %s, want %s", test.value, test.before, got, test.want)
			}
			if string(value) != test.value || string(before) != test.before {
				t.Errorf("the arguments were changed: %s, %s", value, before)
			}
		})
	}
}

// inverses are operations with their inverses, and values of one side and of the other.
var inverses = map[string]struct {
	to, from     operation.Operation
	value, other func(*rapid.T) string
}{
	"plural":   {operation.Plural, operation.Singular, scalar, list},
	"singular": {operation.Singular, operation.Plural, list, scalar},
	"wrap":     {operation.Wrap("value"), operation.Unwrap("value"), scalar, object},
	"unwrap":   {operation.Unwrap("value"), operation.Wrap("value"), object, scalar},
	"split":    {operation.Split("-"), operation.Join("-"), text, texts},
	"join":     {operation.Join("-"), operation.Split("-"), texts, text},
	"key":      {operation.Key("name"), operation.List("name"), namedObjects, objectsByName},
	"list":     {operation.List("name"), operation.Key("name"), objectsByName, namedObjects},
	"larger":   {operation.ScaleWhole(60, 1), operation.ScaleWhole(1, 60), whole, whole},
	"smaller":  {operation.ScaleWhole(1, 60), operation.ScaleWhole(60, 1), whole, whole},
}

func scalar(t *rapid.T) string {
	return rapid.SampledFrom([]string{`1`, `"a"`, `{"b":[2]}`, `[3,4]`, `true`}).Draw(t, "scalar")
}

func text(t *rapid.T) string {
	return string(jsontext.AppendText(nil, rapid.StringMatching(`[a"-]{0,4}`).Draw(t, "text")))
}

func whole(t *rapid.T) string { return fmt.Sprint(rapid.Int64().Draw(t, "whole")) }

func list(t *rapid.T) string { return listOf(t, scalar) }

func texts(t *rapid.T) string { return listOf(t, text) }

func listOf(t *rapid.T, element func(*rapid.T) string) string {
	out := "["
	for i := range rapid.IntRange(0, 3).Draw(t, "length") {
		if i > 0 {
			out += ", "
		}
		out += element(t)
	}
	return out + "]"
}

func object(t *rapid.T) string {
	out := "{"
	for _, name := range []string{"value", "unit", "$propertyBag"} {
		if rapid.Bool().Draw(t, name) {
			if out != "{" {
				out += ","
			}
			out += `"` + name + `":` + scalar(t)
		}
	}
	return out + "}"
}

// names are in the order of no sort, and one needs escapes.
var names = []string{`"b"`, `"a"`, `"$propertyBag"`, `"\"<"`, `""`}

func namedObjects(t *rapid.T) string {
	return listOf(t, func(t *rapid.T) string {
		name := rapid.SampledFrom(names).Draw(t, "name")
		return rapid.SampledFrom([]string{`{"name":` + name + `}`, `{"x":1,"name":` + name + `}`, `{"name":` + name + `,"$propertyBag":{"k":1}}`, `{"x":1}`}).Draw(t, "object")
	})
}

func objectsByName(t *rapid.T) string {
	out := "{"
	for _, name := range names {
		if rapid.Bool().Draw(t, name) {
			if out != "{" {
				out += ","
			}
			out += strings.Replace(name, "$", "$$", 1) + ":" + rapid.SampledFrom([]string{`{}`, `{"x":1}`, `{"$propertyBag":{"k":1}}`, `{"name":"c"}`}).Draw(t, "object")
		}
	}
	return out + "}"
}

// TestLens checks the laws of lenses for each operation and its inverse, for any former value.
// The inverse must restore the value, unless the operation loses a part that the bag stores.
// Putting a value back must change nothing.
func TestLens(t *testing.T) {
	for name, x := range inverses {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				value, before := runtime.JSON(x.value(t)), runtime.JSON(nil)
				if rapid.Bool().Draw(t, "before") {
					before = runtime.JSON(x.other(t))
				}
				there := x.to.Apply(value, before)
				if there == nil {
					return // the bag stores it
				}
				if !jsontext.IsValid(there) {
					t.Fatalf("%s, where %s was, became %s", value, before, there)
				}
				back := x.from.Apply(there, value)
				if back == nil {
					t.Fatalf("%s became %s, and that nothing", value, there)
				}
				if again := x.to.Apply(back, there); !jsontext.IsSame(there, again) {
					t.Errorf("%s became %s, then %s, and then %s", value, there, back, again)
				}
				exact := !slices.Contains([]string{"smaller", "join"}, name)
				if exact && !jsontext.IsSame(back, value) {
					t.Errorf("%s became %s, and then %s", value, there, back)
				}
			})
		})
	}
}
