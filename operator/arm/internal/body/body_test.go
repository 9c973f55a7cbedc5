package body_test

import (
	"fmt"
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
		reason, wanted, external string
		drift                    []string
	}{
		{"the same", `{"a":{"b":[1,"x",true]}}`, `{"a":{"b":[1,"x",true]}}`, nil},
		{"what the user did not write is the outside's own", `{"a":1}`, `{"a":1,"b":2,"c":{"d":3}}`, nil},
		{"another value", `{"a":{"b":1},"c":"x"}`, `{"a":{"b":2},"c":"y"}`, []string{"a.b", "c"}},
		{"a word in another case", `{"a":{"sku":"Standard_LRS"},"b":["High"]}`, `{"a":{"sku":"standard_lrs"},"b":["HIGH"]}`, nil},
		{"a sentence in another case", `{"a":"Two words"}`, `{"a":"two words"}`, []string{"a"}},
		{"a tag in another case", `{"tags":{"a":"X"}}`, `{"tags":{"a":"x"}}`, []string{"tags.a"}},
		{"entity tags, which each change renews", `{"etag":"1","a":{"eTag":"2","b":[{"name":"x","Etag":"3"}]}}`, `{"etag":"4","a":{"b":[{"name":"x","Etag":"5"}]}}`, nil},
		{"a tag that is called so", `{"tags":{"etag":"1"}}`, `{"tags":{"etag":"2"}}`, []string{"tags.etag"}},
		{"one that is no text", `{"etag":{"a":1}}`, `{"etag":{"a":2}}`, []string{"etag.a"}},
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
		got := body.Drift(object(t, test.wanted), object(t, test.external))
		if diff := cmp.Diff(test.drift, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.reason, diff)
		}
	}
}

func TestOutputsThatAreNone(t *testing.T) {
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

// TestDriftIsSameEachTime compares bodies that differ in more paths than are reported.
func TestDriftIsSameEachTime(t *testing.T) {
	wanted := map[string]any{}
	for i := range 500 {
		wanted[fmt.Sprint("p", i)] = "x"
	}
	first := body.Drift(wanted, map[string]any{})
	if len(first) != 100 {
		t.Errorf("%d paths are told of", len(first))
	}
	for range 5 {
		if diff := cmp.Diff(first, body.Drift(wanted, map[string]any{})); diff != "" {
			t.Fatalf("another look tells of other paths:\n%s", diff)
		}
	}
}
