package conversion_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/conversion"
)

const storeV3 = "apiVersion: shop.example.com/v3\nkind: Store\nmetadata: {name: a}\nspec:\n  note: kept # why\n  addresses: [a, b]\n"

// viewsOf returns the views of an object by their versions.
func viewsOf(t *testing.T, plans *conversion.Plans, text string) map[string]conversion.View {
	t.Helper()
	kind, views, err := plans.Views(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	if kind != "Store" {
		t.Errorf("the kind is %s", kind)
	}
	out := map[string]conversion.View{}
	for _, v := range views {
		out[v.Version] = v
	}
	return out
}

// TestViews shows an object in every version, with what each version hides.
func TestViews(t *testing.T) {
	views := viewsOf(t, plansOf(t, "shop.json"), storeV3)
	if len(views) != 4 || views["v3"].Text != storeV3 || len(views["v3"].Hidden) > 0 {
		t.Errorf("%d views; that of v3 is %+v", len(views), views["v3"])
	}
	if got := fmt.Sprint(views["v1"].Hidden); got != `[{spec addresses ["a","b"]} {spec note "kept"}]` {
		t.Errorf("v1 hides %s", got)
	}
	if !strings.Contains(views["v1"].Text, "apiVersion: shop.example.com/v1\n") || !strings.Contains(views["v1"].Text, "\n  address: a\n") {
		t.Errorf("v1 reads\n%s", views["v1"].Text)
	}
}

// TestChangesOfEdits edits the object that an old version reads, and lists what changes in the hub.
func TestChangesOfEdits(t *testing.T) {
	plans := plansOf(t, "shop.json")
	was := viewsOf(t, plans, storeV3)["v1"].Text
	for _, c := range []struct{ before, edit, to, want string }{
		{was, "address: a->address: a", "v3", "[]"},
		{was, "address: a->address: c", "v3", `[{spec.addresses[0]  "a" "c"}]`},
		{was, "name: a->name: b", "v3", `[{metadata.name  "a" "b"}]`},
		{storeV3, "note: kept->note: new", "v1", `[{spec note "kept" "new"}]`},
		{storeV3, "note: kept # why-># none", "v1", `[{spec note "kept" }]`},
		{strings.Replace(storeV3, "note: kept # why", "# none", 1), "# none->note: new", "v1", `[{spec note  "new"}]`},
	} {
		old, edited, _ := strings.Cut(c.edit, "->")
		all, err := plans.Changes(t.Context(), c.before, strings.Replace(c.before, old, edited, 1), c.to)
		if got := fmt.Sprint(all); err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.edit, got, err, c.want)
		}
	}
	if _, err := plans.Changes(t.Context(), was, "{", "v3"); err == nil {
		t.Error("half of an object has changes")
	}
}

// TestViewsRefuse names what cannot be shown, and why.
func TestViewsRefuse(t *testing.T) {
	plans := plansOf(t, "shop.json")
	for text, want := range map[string]string{
		"":                            "not one object",
		"[1]":                         "not one object",
		"apiVersion: v1\nkind: Pod\n": "not one object",
		"apiVersion: a.example.com/v1\nkind: Store\n":    "no plans for the kind Store of a.example.com",
		"apiVersion: shop.example.com/v9\nkind: Store\n": "no version v9: its versions are v1,",
		storeV3 + "---\n" + storeV3:                      "not one object",
	} {
		if _, _, err := plans.Views(t.Context(), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	views := viewsOf(t, plans, strings.Replace(storeV3, "note:", "nota:", 1))
	if v := views["v1"]; v.Text != "" || len(v.Problems) != 1 || !strings.Contains(v.Problems[0], "v3 has no property spec.nota") {
		t.Errorf("with an unknown property, v1 is %+v", v)
	}
}

// TestViewsOfSteps names versions whose conversions have hand-written steps.
func TestViewsOfSteps(t *testing.T) {
	plans := new(conversion.Plans)
	if err := plans.Add(withoutPlan(t, "v1")); err != nil {
		t.Fatal(err)
	}
	views := viewsOf(t, plans, storeV3)
	if v := views["v1"]; !v.ByHand || v.Text != "" {
		t.Errorf("v1 is %+v", v)
	}
	if v := views["v2"]; v.ByHand || v.Text == "" {
		t.Errorf("v2 is %+v", v)
	}
	for version, v := range viewsOf(t, plans, strings.Replace(storeV3, "/v3", "/v1", 1)) {
		if v.ByHand != (version != "v1") {
			t.Errorf("%s of an object of v1 is %+v", version, v)
		}
	}
}

// withoutPlan returns the plans of testdata without that of a version.
func withoutPlan(t *testing.T, version string) []byte {
	t.Helper()
	var file map[string]any
	if err := json.Unmarshal(textOf(t, "shop.json"), &file); err != nil {
		t.Fatal(err)
	}
	for _, v := range file["kinds"].([]any)[0].(map[string]any)["versions"].([]any) {
		if v := v.(map[string]any); v["name"] == version {
			delete(v, "plan")
		}
	}
	out, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
