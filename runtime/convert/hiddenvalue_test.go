package convert_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime/convert"
)

// TestReadHidden reads the bag that has everything a bag can have.
func TestReadHidden(t *testing.T) {
	text, err := os.ReadFile("../genruntime/testdata/bag/full.json")
	if err != nil {
		t.Fatal(err)
	}
	h, err := convert.ReadHidden(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range h.Values {
		got = append(got, v.Path+" "+v.Key+" "+string(v.Value))
	}
	want := []string{
		"spec top 12345678901234567890",
		"spec.main a \"ä\\n\"",
		"spec.main b 2",
		"spec.main.inner z {\"b\":[1.0,null],\"a\":\"<&>\\u00e9\"}",
		"spec.main.parts[1] k true",
		"spec.open o 0",
		"spec.open.extra open null",
		"spec.parts[1] first 1",
		"spec.parts[3] second 2",
		"spec.ports[0] x 1",
		"spec.ports[1].part y []",
		"spec.rows[1][1] cell \"b\"",
		"spec.rules[1] rule {}",
		"spec.spares.one spare 1",
		"spec.spares.two spare 2",
		"status.main s false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if h.Original == nil || *h.Original != "v20110101" {
		t.Errorf("the original version is %v", h.Original)
	}
}

// TestReadHiddenOfAnything reads bags that a client has damaged or made.
func TestReadHiddenOfAnything(t *testing.T) {
	for _, test := range []struct {
		reason, bag string
		values      string // path, key and value of each
		fails       string
	}{
		{"a value of a wrong type is told like others", `{"format":1,"raw":{"spec":{"in":{"parts":{"in":[[0,{"bag":{"color@v1!raw":5}}],7,[]]}}},"x":7}}`, `spec.parts[0] color@v1!raw 5`, ""},
		{"what has another form is passed over", `{"format":1,"spec":{"bag":[],"in":{"a":5,"b":{"in":[[],[0],["x",{}],[2,{"bag":{"c":1}}]]}}}}`, "spec.b[2] c 1", ""},
		{"an odd name", `{"format":1,"spec":{"in":{"":{"bag":{"k":1}},"a.b":{"in":[[7,"key",{"bag":{"l":2}}]]}}}}`, "spec[\"\"] k 1\nspec[\"a.b\"][7] l 2", ""},
		{"no JSON", `{"format":`, "", "no JSON"},
		{"a format of later", `{"format":2}`, "", "format"},
		{"no end", `{"format":1,"spec":` + strings.Repeat(`{"in":{"a":`, 1100) + "{}" + strings.Repeat("}}", 1100) + "}", "", "too deep"},
		{"no end of lists", `{"format":1,"spec":` + strings.Repeat(`{"in":[[0,`, 1100) + "{}" + strings.Repeat("]]}", 1100) + "}", "", "too deep"},
		{"the deepest", `{"format":1,"spec":` + strings.Repeat(`{"in":{"":`, 1000) + "{}" + strings.Repeat("}}", 1000) + "}", "", ""},
		{"a level more", `{"format":1,"spec":` + strings.Repeat(`{"in":{"":`, 1001) + "{}" + strings.Repeat("}}", 1001) + "}", "", "too deep"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			h, err := convert.ReadHidden(test.bag)
			if test.fails == "" && err != nil || test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
				t.Fatalf("the error is %v", err)
			}
			var got []string
			for _, v := range h.Values {
				got = append(got, v.Path+" "+v.Key+" "+string(v.Value))
			}
			if err == nil && strings.Join(got, "\n") != test.values {
				t.Errorf("values are %q", got)
			}
		})
	}
}
