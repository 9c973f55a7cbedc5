package genruntime

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
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
	}{reason, api, stored, func() any { return StoredKeys(api) }, func() any { return ShownKeys(stored) }}
}

func TestStoredKeysShareMemory(t *testing.T) {
	plain := map[string]map[string]string{"x": {"y": "z"}}
	if reflect.ValueOf(StoredKeys(plain)).Pointer() != reflect.ValueOf(plain).Pointer() {
		t.Error("a map without such keys is copied")
	}
	members := map[string]map[string]string{"$propertyBag": {"$propertyBag": "a"}}
	stored := StoredMembers(members)
	if diff := cmp.Diff(map[string]map[string]string{"$propertyBag": {"$$propertyBag": "a"}}, stored); diff != "" {
		t.Errorf("additional members (-want +got): %s", diff)
	}
	if diff := cmp.Diff(members, ShownMembers(stored)); diff != "" {
		t.Errorf("additional members, shown (-want +got): %s", diff)
	}
	if members["$propertyBag"]["$propertyBag"] != "a" {
		t.Error("the source has changed")
	}
}

// looseGadget is an API type that people wrote, with a property that is called like a property bag, and a map.
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
	if err := JSONTo(&src, &stored); err != nil {
		t.Fatal(err)
	}
	want := storedLoose{Bag: map[string]string{"tags": "forged"}, Tags: map[string]string{"$$propertyBag": "x"}}
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Errorf("stored (-want +got): %s", diff)
	}
	stored.PropertyBag = runtime.PropertyBag{"hidden": runtime.JSON("1")}
	var back looseGadget
	if err := JSONFrom(&back, &stored); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(src, back); diff != "" {
		t.Errorf("shown (-want +got): %s", diff)
	}
}

func TestNamesOfMapsInAdditionalMembers(t *testing.T) {
	f := Further{Name: "danger", Key: "danger", Kind: "mo", Free: "free,tags{},loose{}(?a)"}
	shown := runtime.JSON(`{"$propertyBag":{"tags":{"$propertyBag":"x"},"free":{"$propertyBag":1},"loose":{"$$propertyBag":{"$propertyBag":2}}}}`)
	stored := runtime.JSON(`{"$$propertyBag":{"tags":{"$$propertyBag":"x"},"free":{"$propertyBag":1},"loose":{"$$$propertyBag":{"$propertyBag":2}}}}`)
	if got := f.stored(shown); string(got) != string(stored) {
		t.Errorf("in a bag it is %s", got)
	}
	if got, whole := f.flattened(stored); string(got) != string(shown) || !whole {
		t.Errorf("shown it is %s, %t", got, whole)
	}
}

func TestFlattenedWithKeysThatNoMemberHas(t *testing.T) {
	f := Further{Name: "danger", Key: "danger", Kind: "o"}
	for stored, want := range map[string]string{
		`{"a":1,"$propertyBag":{"$propertyBag":2}}`:                    `{"a":1}`,
		`{"a":1,"$propertyBag":{"$propertyBag":2,"$$propertyBag":3}}`:  `{"a":1,"$propertyBag":3}`,
		`{"a":1,"$propertyBag":{"a":2}}`:                               `{"a":1}`,
		`{"a":1,"$propertyBag":{"a@v1!raw":2}}`:                        `{"a":1}`,
		`{"a":1,"$$propertyBag":2,"$propertyBag":{"$$propertyBag":3}}`: `{"a":1,"$propertyBag":2}`,
	} {
		if got, whole := f.flattened(runtime.JSON(stored)); string(got) != want || whole {
			t.Errorf("%s is shown as %s, whole %t", stored, got, whole)
		}
	}
}

// TestFlattenedOpenObjects shows nothing of the bags of objects whose additional members are free JSON: such an object has all
// members that are shown of it.
func TestFlattenedOpenObjects(t *testing.T) {
	f := Further{Name: "danger", Key: "danger", Kind: "o", Free: "in(a(),*),texts{}"}
	for stored, want := range map[string]string{
		`{"in":{"a":1,"b":2,"$propertyBag":{"c":3}},"d":4}`:                             `{"in":{"a":1,"b":2},"d":4}`,
		`{"in":{"$propertyBag":{"c":3}},"$propertyBag":{"e":{"$propertyBag":{"g":5}}}}`: `{"in":{},"e":{"g":5}}`,
	} {
		if got, whole := f.flattened(runtime.JSON(stored)); string(got) != want || whole {
			t.Errorf("%s is shown as %s, whole %t", stored, got, whole)
		}
		if kept := f.withKept(runtime.JSON(want), runtime.JSON(stored)); f.names().inner == nil || string(f.flat(kept)) != want || string(kept) == want {
			t.Errorf("of %s, %s is kept", stored, kept)
		}
	}
}

// TestMayForgeBag looks for names of property bags at any depth of objects and lists, and not in texts alone.
func TestMayForgeBag(t *testing.T) {
	for value, want := range map[string]bool{
		`{"$propertyBag":{}}`:           true,
		`{"a":[{"$propertyBag":{}}]}`:   true,
		`[{"$propertyBag":{}}]`:         true,
		`[[],[1,[{"$propertyBag":1}]]]`: true,
		` [{"\u0024propertyBag":{}}]`:   true,
		`"$propertyBag"`:                false,
		`[1,{"bag":{}}]`:                false,
		`5`:                             false,
		``:                              false,
	} {
		if got := mayForgeBag(runtime.JSON(value)); got != want {
			t.Errorf("%s may forge a bag: %t", value, got)
		}
	}
}

// TestListsThatForgeBagsStayInBags keeps a list that stands for an object in the bag, where no other type can read it as more.
func TestListsThatForgeBagsStayInBags(t *testing.T) {
	for value, want := range map[string]string{
		`[1,{"x":2}]`:                  `"main":[1,{"x":2}]`,
		`[1,{"$propertyBag":{"x":2}}]`: `"$propertyBag":{"main@v20140404!raw":[1,{"$propertyBag":{"x":2}}]}`,
	} {
		stored := storedGadget{Spec: &storedSpec{PropertyBag: runtime.PropertyBag{bag.RawKey("main", gadgetVersion): runtime.JSON(value)}}}
		stored.APIVersion, stored.Kind = group+"/"+gadgetVersion+"storage", "Gadget"
		out, err := Encode(&stored)
		if err != nil {
			t.Fatal(err)
		}
		sameJSONText(t, value, jsontext.MemberOf(out, "spec"), `{`+want+`}`)
	}
}
