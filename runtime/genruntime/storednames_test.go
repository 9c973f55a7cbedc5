package genruntime_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

func TestStoredKeys(t *testing.T) {
	type labels map[string]string
	for _, test := range []struct {
		reason      string
		api, stored any
		got, back   func() any
	}{
		keysCase("texts", map[string]string{"$propertyBag": "a", "$$propertyBag": "b", "x": "c"}, map[string]string{"$$propertyBag": "a", "$$$propertyBag": "b", "x": "c"}),
		keysCase("free JSON", map[string]runtime.JSON{"$propertyBag": runtime.JSON(`{"$propertyBag":1}`)}, map[string]runtime.JSON{"$$propertyBag": runtime.JSON(`{"$propertyBag":1}`)}),
		keysCase("a named type", labels{"$propertyBag": "a"}, labels{"$$propertyBag": "a"}),
		keysCase("numbers", map[string]float64{"$propertyBag": 1}, map[string]float64{"$$propertyBag": 1}),
		keysCase("maps in lists in maps", map[string][]map[string]int64{"x": {nil, {"$propertyBag": 1}}, "$propertyBag": {}},
			map[string][]map[string]int64{"x": {nil, {"$$propertyBag": 1}}, "$$propertyBag": {}}),
		keysCase("none", map[string][]string(nil), map[string][]string(nil)),
		keysCase("empty", map[string]string{}, map[string]string{}),
	} {
		if diff := cmp.Diff(test.stored, test.got()); diff != "" {
			t.Errorf("%s: stored (-want +got): %s", test.reason, diff)
		}
		if diff := cmp.Diff(test.api, test.back()); diff != "" {
			t.Errorf("%s: shown (-want +got): %s", test.reason, diff)
		}
	}
}

func keysCase[T any](reason string, api, stored T) struct {
	reason      string
	api, stored any
	got, back   func() any
} {
	return struct {
		reason      string
		api, stored any
		got, back   func() any
	}{reason, api, stored, func() any { return genruntime.StoredKeys(api) }, func() any { return genruntime.APIKeys(stored) }}
}

func TestStoredKeysShareMemory(t *testing.T) {
	plain := map[string]map[string]string{"x": {"y": "z"}}
	if reflect.ValueOf(genruntime.StoredKeys(plain)).Pointer() != reflect.ValueOf(plain).Pointer() {
		t.Error("a map without such keys is copied")
	}
	members := map[string]map[string]string{"$propertyBag": {"$propertyBag": "a"}}
	stored := genruntime.StoredMembers(members)
	if diff := cmp.Diff(map[string]map[string]string{"$propertyBag": {"$$propertyBag": "a"}}, stored); diff != "" {
		t.Errorf("additional members (-want +got): %s", diff)
	}
	if diff := cmp.Diff(members, genruntime.APIMembers(stored)); diff != "" {
		t.Errorf("additional members, shown (-want +got): %s", diff)
	}
	if members["$propertyBag"]["$propertyBag"] != "a" {
		t.Error("the source has changed")
	}
}

// looseGadget is a hand-written API type with a map, and a property whose name is like that of a
// property bag.
type looseGadget struct {
	Bag  map[string]string `json:"$propertyBag,omitempty"`
	Tags map[string]string `json:"tags,omitempty"`
}

// storedLoose is its storage type.
type storedLoose struct {
	Bag         map[string]string   `json:"$$propertyBag,omitzero"`
	Tags        map[string]string   `json:"tags,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func TestJSONToForgesNoBag(t *testing.T) {
	src := looseGadget{Bag: map[string]string{"tags": "forged"}, Tags: map[string]string{"$propertyBag": "x"}}
	var stored storedLoose
	if err := genruntime.JSONTo(&src, &stored); err != nil {
		t.Fatal(err)
	}
	want := storedLoose{Bag: map[string]string{"tags": "forged"}, Tags: map[string]string{"$$propertyBag": "x"}}
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Errorf("stored (-want +got): %s", diff)
	}
	stored.PropertyBag = runtime.PropertyBag{"hidden": runtime.JSON("1")}
	var back looseGadget
	if err := genruntime.JSONFrom(&back, &stored); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(src, back); diff != "" {
		t.Errorf("shown (-want +got): %s", diff)
	}
}

// TestListsThatForgeBagsStayInBags checks that a list in place of an object stays in the bag,
// where no other type can read it as a property bag.
func TestListsThatForgeBagsStayInBags(t *testing.T) {
	for value, want := range map[string]string{
		`[1,{"x":2}]`:                  `"main":[1,{"x":2}]`,
		`[1,{"$propertyBag":{"x":2}}]`: `"$propertyBag":{"main@v20140404!raw":[1,{"$propertyBag":{"x":2}}]}`,
	} {
		stored := fixtures.StoredGadget{Spec: &fixtures.StoredSpec{PropertyBag: runtime.PropertyBag{bag.RawKey("main", fixtures.GadgetVersion): runtime.JSON(value)}}}
		stored.APIVersion, stored.Kind = fixtures.Group+"/"+fixtures.GadgetVersion+"storage", "Gadget"
		out, err := convert.Encode(&stored)
		if err != nil {
			t.Fatal(err)
		}
		fixtures.SameJSONText(t, value, jsontext.MemberOf(out, "spec"), `{`+want+`}`)
	}
}
