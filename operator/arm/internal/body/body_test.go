package body_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/operator/arm/internal/body"
)

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	o, err := body.Object([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

func TestDrift(t *testing.T) {
	tests := []struct {
		reason, wanted, outside string
		drift                   []string
	}{
		{"the same", `{"a":{"b":[1,"x",true]}}`, `{"a":{"b":[1,"x",true]}}`, nil},
		{"what the user did not write is the outside's own", `{"a":1}`, `{"a":1,"b":2,"c":{"d":3}}`, nil},
		{"another value", `{"a":{"b":1},"c":"x"}`, `{"a":{"b":2},"c":"y"}`, []string{"a.b", "c"}},
		{"a word in another case", `{"a":{"sku":"Standard_LRS"},"b":["High"]}`, `{"a":{"sku":"standard_lrs"},"b":["HIGH"]}`, nil},
		{"a sentence in another case", `{"a":"Two words"}`, `{"a":"two words"}`, []string{"a"}},
		{"a tag in another case", `{"tags":{"a":"X"}}`, `{"tags":{"a":"x"}}`, []string{"tags.a"}},
		{"a tag that is gone", `{"tags":{"a.b":"x","c":"y"}}`, `{"tags":{"c":"y"}}`, []string{`tags["a.b"]`}},
		{"all tags are gone", `{"tags":{"a":"x"}}`, `{}`, []string{"tags"}},
		{"another kind of value", `{"a":"1","b":{},"c":[]}`, `{"a":1,"b":[],"c":{}}`, []string{"a", "b", "c"}},
		{"nothing written, nothing there", `{"a":null,"b":false,"c":0,"d":"","e":[],"f":{},"g":{"h":null}}`, `{"a":null}`, nil},
		{"null written, something there", `{"a":null}`, `{"a":"x"}`, []string{"a"}},
		{"null outside is nothing", `{"a":"x","b":false}`, `{"a":null,"b":null}`, []string{"a"}},
		{"false written, true there", `{"a":false}`, `{"a":true}`, []string{"a"}},
		{"services do not give secrets out", `{"adminPassword":"x","clientSecret":"y"}`, `{}`, nil},
		{"but one that is given out is compared", `{"adminPassword":"x"}`, `{"adminPassword":"z"}`, []string{"adminPassword"}},
		{"names of locations", `{"location":"West US","locations":["East US"]}`, `{"location":"westus","locations":["eastus"]}`, nil},
		{"another location", `{"location":"westus"}`, `{"location":"eastus"}`, []string{"location"}},
		{"identifiers in another case", `{"id":"/subscriptions/S/resourceGroups/g"}`, `{"id":"/subscriptions/s/resourcegroups/G"}`, nil},
		{"another identifier", `{"id":"/subscriptions/S"}`, `{"id":"/subscriptions/t"}`, []string{"id"}},
		{"numbers written otherwise", `{"a":1.0,"b":1e2,"c":12345678901234567890}`, `{"a":1,"b":100,"c":12345678901234567890}`, nil},
		{"large numbers with all digits", `{"c":12345678901234567890}`, `{"c":12345678901234567891}`, []string{"c"}},
		{"a number that is too large to be written out", `{"c":1e999999999}`, `{"c":2e999999999}`, []string{"c"}},
		{"moments written otherwise", `{"t":"2020-01-01T00:00:00Z"}`, `{"t":"2020-01-01T01:00:00.000+01:00"}`, nil},
		{"another moment", `{"t":"2020-01-01T00:00:00Z"}`, `{"t":"2020-01-01T00:00:01Z"}`, []string{"t"}},
		{"the same scalars in another order", `{"a":["x","y","x"]}`, `{"a":["x","x","y"]}`, nil},
		{"other scalars of the same number", `{"a":["x","x","y"]}`, `{"a":["x","y","y"]}`, []string{"a"}},
		{"fewer elements", `{"a":["x","y"]}`, `{"a":["x"]}`, []string{"a"}},
		{"objects in another order, by their names", `{"a":[{"name":"x","v":1},{"name":"y","v":2}]}`, `{"a":[{"name":"y","v":3},{"name":"x","v":1}]}`, []string{"a[1].v"}},
		{"objects without names, by their places", `{"a":[{"v":1},{"v":2}]}`, `{"a":[{"v":2},{"v":1}]}`, []string{"a[0].v", "a[1].v"}},
		{"another name", `{"a":[{"name":"x"}]}`, `{"a":[{"name":"z"}]}`, []string{"a[0].name"}},
	}
	for _, test := range tests {
		got := body.Drift(object(t, test.wanted), object(t, test.outside))
		if diff := cmp.Diff(test.drift, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.reason, diff)
		}
	}
}

func TestSet(t *testing.T) {
	tests := []struct{ reason, object, path, want, err string }{
		{"a member", `{"a":1}`, "b", `{"a":1,"b":"v"}`, ""},
		{"instead of a member", `{"a":1}`, "a", `{"a":"v"}`, ""},
		{"below what is not there", `{}`, `a["b.c"].d`, `{"a":{"b.c":{"d":"v"}}}`, ""},
		{"in an element", `{"a":[{"b":1},{}]}`, "a[1].b", `{"a":[{"b":1},{"b":"v"}]}`, ""},
		{"instead of null", `{"a":null}`, "a.b", `{"a":{"b":"v"}}`, ""},
		{"numbers keep their digits", `{"n":12345678901234567890.10}`, "a", `{"a":"v","n":12345678901234567890.10}`, ""},
		{"letters stay as they are", `{"n":"<&>"}`, "a", `{"a":"v","n":"<&>"}`, ""},
		{"an element that is not there", `{"a":[]}`, "a[0]", "", "there is no element [0], the array has 0"},
		{"an element of what is not there", `{}`, "a[0]", "", "there is no element [0]"},
		{"below a scalar", `{"a":1}`, "a.b", "", "b lies below a value that has no members"},
		{"a member of an array", `{"a":[]}`, "a.b", "", "b is asked for where an array is"},
		{"an element of an object", `{"a":{}}`, "a[0]", "", "[0] is asked for where an object is"},
	}
	for _, test := range tests {
		o := object(t, test.object)
		path, err := body.ParsePath(test.path)
		if err != nil {
			t.Fatal(err)
		}
		err = body.Set(o, path, "v")
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: got %v, want %s", test.reason, err, test.err)
			}
			continue
		}
		if got, _ := body.Encode(o); err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, %v, want %s", test.reason, got, err, test.want)
		}
		if value, ok := body.Get(o, path); !ok || value != "v" {
			t.Errorf("%s: got %v back", test.reason, value)
		}
	}
}

func TestPathsThatAreNone(t *testing.T) {
	for _, text := range []string{"", ".", "a.", ".a", "a..b", "a[", "a[x]", "a[-1]", `a[""]`, `a["b]`, "a]b", "a b", "a()", "a[0]b", strings.Repeat("a.", 101) + "a"} {
		if path, err := body.ParsePath(text); err == nil {
			t.Errorf("%.20q was read as %q", text, path)
		}
	}
	for _, text := range []string{"restart().a", "listKeys()", "listKeys().", "list Keys().a", "().a", "listKeys()a()", "list/../x().a"} {
		if out, err := body.ParseOutput(text); err == nil {
			t.Errorf("%q was read as %v", text, out)
		}
	}
}

func TestObjectsThatAreNone(t *testing.T) {
	for _, text := range []string{"[]", "1", "{", "{} {}", "null", `{"a":}`} {
		if o, err := body.Object([]byte(text)); err == nil {
			t.Errorf("%s was read as %v", text, o)
		}
	}
}

func FuzzPath(f *testing.F) {
	f.Add(`a.b[0]["c.d"]`)
	f.Fuzz(func(t *testing.T, text string) {
		path, err := body.ParsePath(text)
		if err != nil {
			return
		}
		again, err := body.ParsePath(path.String())
		if err != nil || cmp.Diff(path, again) != "" {
			t.Errorf("%q became %q, then %v, %v", text, path, again, err)
		}
	})
}
