package genruntime_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

// openBox is an object that names only some of the members that it may have, closedBox one without
// others, and namedBox one that names them.
type openBox struct {
	Known                *string                 `json:"known,omitzero"`
	AdditionalProperties map[string]runtime.JSON `json:"-"`
	PropertyBag          runtime.PropertyBag     `json:"$propertyBag,omitzero"`
}

type closedBox struct {
	Known       *string             `json:"known,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type namedBox struct {
	Known       *string             `json:"known,omitzero"`
	Danger      *bool               `json:"danger,omitzero"`
	Inner       *innerBox           `json:"inner,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type innerBox struct {
	Size        *int64              `json:"size,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// boxFurthers has the kinds that danger has in the second and in a third version.
var boxFurthers = genruntime.Furthers{
	{Name: "danger", Key: "danger", Kind: "b"}, {Name: "danger", Key: "danger@v3", Kind: "s"}, {Name: "inner", Key: "inner", Kind: "o"},
}

func openToNamed(src *openBox, dst *namedBox) {
	*dst = namedBox{Known: src.Known, PropertyBag: genruntime.Lower(src, boxFurthers)}
	genruntime.Recall(&dst.PropertyBag, "danger", &dst.Danger)
	genruntime.Recall(&dst.PropertyBag, "inner", &dst.Inner)
	genruntime.Raise(dst, boxFurthers)
}

func openFromNamed(src *namedBox, dst *openBox) {
	*dst = openBox{Known: src.Known, PropertyBag: genruntime.Lower(src, boxFurthers)}
	genruntime.Stash(&dst.PropertyBag, "danger", src.Danger)
	genruntime.Stash(&dst.PropertyBag, "inner", src.Inner)
	genruntime.Raise(dst, boxFurthers)
}

func TestAdditionalMembersThatVersionNames(t *testing.T) {
	for _, test := range []struct {
		reason  string
		members string
		named   string
	}{
		{"of the type that it has", `{"danger":true}`, `{"danger":true}`},
		{"an object", `{"inner":{"size":1}}`, `{"inner":{"size":1}}`},
		{"an object with a member that the type lacks", `{"inner":{"size":1,"lid":true}}`, `{"inner":{"size":1,"$propertyBag":{"lid":true}}}`},
		{"of the type that another version has", `{"danger":"very"}`, `{"$propertyBag":{"danger@v3":"very"}}`},
		{"of a type that none has", `{"danger":[1]}`, `{"$propertyBag":{"$additionalProperties":{"danger":[1]}}}`},
		{"an object with a value of the wrong type", `{"inner":{"size":"s"}}`, `{"$propertyBag":{"$additionalProperties":{"inner":{"size":"s"}}}}`},
		{"a null", `{"danger":null}`, `{"$propertyBag":{"$additionalProperties":{"danger":null}}}`},
		{"an object with a null, which its type would lose", `{"inner":{"size":null}}`, `{"$propertyBag":{"$additionalProperties":{"inner":{"size":null}}}}`},
		{"a forged property bag", `{"inner":{"$propertyBag":{"size@v1!raw":"s"}}}`, `{"$propertyBag":{"$additionalProperties":{"inner":{"$propertyBag":{"size@v1!raw":"s"}}}}}`},
		{"a forged key", `{"inner":{"size@v1!raw":"s"}}`, `{"inner":{"$propertyBag":{"size@v1!raw@":"s"}}}`},
		{"a name that differs by case", `{"Danger":true}`, `{"$propertyBag":{"$additionalProperties":{"Danger":true}}}`},
		{"a name of Strata's own", `{"$additionalProperties":1,"$coveredProperties":{"danger":{}},"danger@v3":"x"}`,
			`{"$propertyBag":{"$additionalProperties":{"$additionalProperties":1,"$coveredProperties":{"danger":{}},"danger@v3":"x"}}}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var src openBox
			if err := genruntime.UnmarshalOpen([]byte(test.members), (*fixedBox)(&src), &src.AdditionalProperties); err != nil {
				t.Fatal(err)
			}
			var named namedBox
			openToNamed(&src, &named)
			fixtures.SameText(t, "named", &named, test.named)
			var back openBox
			openFromNamed(&named, &back)
			data, err := genruntime.MarshalOpen(fixedBox(openBox{AdditionalProperties: back.AdditionalProperties}), back.AdditionalProperties)
			if err != nil {
				t.Fatal(err)
			}
			fixtures.SameJSONText(t, "shown again", data, test.members)
		})
	}
}

// ratesBox is open for numbers, and meterBox names two of them otherwise.
type ratesBox struct {
	AdditionalProperties map[string]float64  `json:"-"`
	PropertyBag          runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type meterBox struct {
	Few         *int64              `json:"few,omitzero"`
	Free        runtime.JSON        `json:"free,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

var rateFurthers = genruntime.Furthers{{Name: "few", Key: "few", Kind: "i"}, {Name: "free", Key: "free", Kind: "a"}}

func ratesFromMeter(src *meterBox) (dst ratesBox) {
	dst.PropertyBag = genruntime.Lower(src, rateFurthers)
	genruntime.Stash(&dst.PropertyBag, "few", src.Few)
	genruntime.Stash(&dst.PropertyBag, "free", src.Free)
	genruntime.Raise(&dst, rateFurthers)
	return dst
}

func ratesToMeter(src *ratesBox) (dst meterBox) {
	dst.PropertyBag = genruntime.Lower(src, rateFurthers)
	genruntime.Recall(&dst.PropertyBag, "few", &dst.Few)
	genruntime.Recall(&dst.PropertyBag, "free", &dst.Free)
	genruntime.Raise(&dst, rateFurthers)
	return dst
}

func TestAdditionalMembersOfAnotherKindThatFit(t *testing.T) {
	src := ratesBox{AdditionalProperties: map[string]float64{"few": 3, "free": 0.5, "other": 1}}
	named := ratesToMeter(&src)
	fixtures.SameText(t, "named", &named, `{"few":3,"free":0.5,"$propertyBag":{"$additionalProperties":{"other":1}}}`)
	if diff := cmp.Diff(src, ratesFromMeter(&named)); diff != "" {
		t.Errorf("shown again: %s", diff)
	}
	for _, test := range []struct {
		reason  string
		named   meterBox
		visible map[string]float64
	}{
		{"a number that a float64 cannot hold", meterBox{Few: new(int64(1<<53 + 1))}, nil},
		{"a text", meterBox{Free: runtime.JSON(`"x"`)}, nil},
		{"free JSON that is spelled otherwise", meterBox{Free: runtime.JSON(`1e2`)}, map[string]float64{"free": 100}},
	} {
		rates := ratesFromMeter(&test.named)
		if diff := cmp.Diff(test.visible, rates.AdditionalProperties); diff != "" {
			t.Errorf("%s is shown otherwise: %s", test.reason, diff)
		}
		if diff := cmp.Diff(test.named, ratesToMeter(&rates)); diff != "" {
			t.Errorf("%s comes back otherwise: %s", test.reason, diff)
		}
	}
}

type fixedBox openBox

func TestEditsOfAdditionalMembers(t *testing.T) {
	named := namedBox{Danger: new(true), PropertyBag: runtime.PropertyBag{"danger@v3": runtime.JSON(`"very"`)}}
	var visible openBox
	openFromNamed(&named, &visible)
	if got := string(visible.AdditionalProperties["danger"]); got != "true" {
		t.Fatalf("danger is shown as %s", got)
	}
	var same namedBox
	openToNamed(&visible, &same)
	fixtures.SameText(t, "nobody has edited it", &same, `{"danger":true,"$propertyBag":{"danger@v3":"very"}}`)

	edited := openBox{AdditionalProperties: map[string]runtime.JSON{"danger": runtime.JSON("false")}, PropertyBag: visible.PropertyBag.Clone()}
	var changed namedBox
	openToNamed(&edited, &changed)
	fixtures.SameText(t, "changed, and what it covered goes", &changed, `{"danger":false}`)

	removed := openBox{PropertyBag: visible.PropertyBag.Clone()}
	var gone namedBox
	openToNamed(&removed, &gone)
	fixtures.SameText(t, "removed, with what it covered", &gone, `{}`)
}

func TestAdditionalMembersWaitInClosedObjects(t *testing.T) {
	src := openBox{AdditionalProperties: map[string]runtime.JSON{"danger": runtime.JSON("true"), "inner": runtime.JSON(`{"size":1,"lid":true}`), "x": runtime.JSON("1.50")}}
	closed := closedBox{PropertyBag: genruntime.Lower(&src, boxFurthers)}
	genruntime.Raise(&closed, boxFurthers)
	fixtures.SameText(t, "closed", &closed, `{"$propertyBag":{"danger":true,"inner":{"size":1,"lid":true},"$additionalProperties":{"x":1.50}}}`)
	named := namedBox{PropertyBag: genruntime.Lower(&closed, boxFurthers)}
	genruntime.Recall(&named.PropertyBag, "danger", &named.Danger)
	genruntime.Recall(&named.PropertyBag, "inner", &named.Inner)
	genruntime.Raise(&named, boxFurthers)
	fixtures.SameText(t, "named", &named, `{"danger":true,"inner":{"size":1,"$propertyBag":{"lid":true}},"$propertyBag":{"$additionalProperties":{"x":1.50}}}`)
	again := closedBox{PropertyBag: genruntime.Lower(&named, boxFurthers)}
	genruntime.Stash(&again.PropertyBag, "danger", named.Danger)
	genruntime.Stash(&again.PropertyBag, "inner", named.Inner)
	genruntime.Raise(&again, boxFurthers)
	back := openBox{PropertyBag: genruntime.Lower(&again, boxFurthers)}
	genruntime.Raise(&back, boxFurthers)
	if diff := cmp.Diff(map[string]string{"danger": "true", "inner": `{"size":1,"lid":true}`, "x": "1.50"}, texts(back.AdditionalProperties)); diff != "" {
		t.Error(diff)
	}
}

func texts(members map[string]runtime.JSON) map[string]string {
	out := map[string]string{}
	for name, value := range members {
		out[name] = string(value)
	}
	return out
}

func TestForeignAdditionalMembers(t *testing.T) {
	src := openBox{AdditionalProperties: map[string]runtime.JSON{"danger": runtime.JSON("true")}}
	named := namedBox{PropertyBag: genruntime.Lower(&src, boxFurthers, "danger")}
	genruntime.Recall(&named.PropertyBag, "danger", &named.Danger)
	genruntime.Raise(&named, boxFurthers)
	fixtures.SameText(t, "another property's name", &named, `{"$propertyBag":{"$foreignProperties":{"danger":true}}}`)
	back := openBox{PropertyBag: genruntime.Lower(&named, boxFurthers)}
	genruntime.Raise(&back, boxFurthers, "danger")
	if got := string(back.AdditionalProperties["danger"]); got != "true" || back.PropertyBag != nil {
		t.Errorf("it comes back as %s, with %v", got, back.PropertyBag)
	}
}

// TestMembersThatWereObjectsOfType reads the entries that LowerNamed stored, in a version
// without additional members that are objects.
func TestMembersThatWereObjectsOfType(t *testing.T) {
	for _, test := range []struct {
		reason string
		src    openBox
		want   string
	}{
		{"a member that waits", openBox{PropertyBag: runtime.PropertyBag{bag.NamedKey: runtime.JSON(`{"danger":true}`)}}, `{"danger":true}`},
		{"one that was covered",
			openBox{
				AdditionalProperties: map[string]runtime.JSON{"danger": runtime.JSON("true")},
				PropertyBag:          runtime.PropertyBag{bag.CoveredKey: runtime.JSON(`{"danger":{"key":"$namedProperties","shown":true,"stored":{"$namedProperties":true}}}`)},
			}, `{"danger":true}`},
	} {
		var named namedBox
		openToNamed(&test.src, &named)
		fixtures.SameText(t, test.reason, &named, test.want)
	}
}

// TestWrongValueOfOneVersionHidesNoOther checks that a value of the wrong type in the second
// version does not hide the value of a third version. It is restored in its own version only.
func TestWrongValueOfOneVersionHidesNoOther(t *testing.T) {
	named := namedBox{PropertyBag: runtime.PropertyBag{bag.RawKey("danger", "v2"): runtime.JSON(`[1]`), "danger@v3": runtime.JSON(`"very"`)}}
	var visible openBox
	openFromNamed(&named, &visible)
	if diff := cmp.Diff(map[string]string{"danger": `"very"`}, texts(visible.AdditionalProperties)); diff != "" {
		t.Errorf("shown (-want +got): %s", diff)
	}
	var back namedBox
	openToNamed(&visible, &back)
	if diff := cmp.Diff(named, back); diff != "" {
		t.Errorf("it comes back otherwise (-want +got): %s", diff)
	}
}
