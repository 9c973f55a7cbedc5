package hostile_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stratakube/strata/runtime/conformance/hostile"
)

type stored struct {
	Spec struct {
		Name  *string          `json:"name,omitzero"`
		Parts map[string][]int `json:"parts,omitzero"`
		Ratio *float64         `json:"ratio,omitzero"`
	} `json:"spec"`
	Status struct {
		PropertyBag *string `json:"propertyBag,omitzero"`
	} `json:"status"`
}

func newDrawer(seed uint64) *hostile.Drawer {
	return hostile.New(seed, hostile.Kind{Group: "g", Name: "K", Hub: "v2storage", Stored: reflect.TypeFor[stored](), Versions: []string{"v1"}})
}

// TestObjectsAreOfTheirKind checks that all objects are JSON of their kind and version, and that
// the same seed gives the same ones.
func TestObjectsAreOfTheirKind(t *testing.T) {
	a, b := newDrawer(1), newDrawer(1)
	for range 200 {
		object := a.Stored()
		written := a.Written("v1", reflect.TypeFor[stored]())
		edited := a.Edited("v1", object)
		if !bytes.Equal(object, b.Stored()) || !bytes.Equal(written, b.Written("v1", reflect.TypeFor[stored]())) || !bytes.Equal(edited, b.Edited("v1", object)) {
			t.Fatal("the same seed gives other objects")
		}
		for want, object := range map[string][]byte{"g/v2storage": object, "g/v1": written} {
			var head struct{ APIVersion, Kind string }
			if err := json.Unmarshal(object, &head); err != nil || head.APIVersion != want || head.Kind != "K" {
				t.Fatalf("%v: %s", err, object)
			}
		}
	}
}

func TestDifference(t *testing.T) {
	d := newDrawer(1)
	for _, test := range []struct{ a, b, want string }{
		{`{"a":1}`, `{"a" : 1}`, ""},
		{`{"a":[1,2]}`, `{"a":[1,3]}`, ".a[1]"},
		{`{"a":1}`, `{}`, ".a is only in the first"},
		{`{}`, `{"a":1}`, ".a is only in the second"},
		{`{"ratio":9007199254740993}`, `{"ratio":9007199254740992}`, ""},
		{`{"count":9007199254740993}`, `{"count":9007199254740992}`, ".count (whole numbers)"},
		{`{"ratio":1.50}`, `{"ratio":1.5}`, ""},
		{`{"metadata":{"labels":{}}}`, `{"metadata":{}}`, ""},
		{`{"a":`, `{}`, "the first: unexpected EOF"},
		{`{"a":[]}`, `{"a":{}}`, ".a"},
	} {
		if got := d.Difference([]byte(test.a), []byte(test.b)); got != test.want {
			t.Errorf("%s and %s differ at %q, want %q", test.a, test.b, got, test.want)
		}
	}
}
