package genruntime_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// freeBox names a member as free JSON that a typedBox has as an additional member.
type freeBox struct {
	Danger      runtime.JSON        `json:"danger,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

var freeFurthers = genruntime.Furthers{{Name: "danger", Key: "danger", Kind: "a"}}

func freeToTyped(src *freeBox) (dst typedBox) {
	src, dst.PropertyBag = genruntime.LowerNamed(src, freeFurthers)
	genruntime.RecallMembers(&dst.PropertyBag, "$additionalProperties", &dst.AdditionalProperties)
	genruntime.Stash(&dst.PropertyBag, "danger", src.Danger)
	genruntime.RaiseNamed(&dst, freeFurthers)
	return dst
}

func freeFromTyped(src *typedBox) (dst freeBox) {
	src, dst.PropertyBag = genruntime.LowerNamed(src, freeFurthers)
	genruntime.Recall(&dst.PropertyBag, "danger", &dst.Danger)
	genruntime.Stash(&dst.PropertyBag, "$additionalProperties", src.AdditionalProperties)
	genruntime.RaiseNamed(&dst, freeFurthers)
	return dst
}

// TestFreeJSONKeepsItsSpelling shows free JSON as an additional member of a type, and back.
func TestFreeJSONKeepsItsSpelling(t *testing.T) {
	for _, test := range []struct {
		reason, free string
		isCovered    bool
	}{
		{"an object of the type", `{"size":1}`, false},
		{"members in the order of their names", `{"other":"s","size":1}`, false},
		{"members in another order", `{"size":1,"other":"s"}`, true},
		{"a number spelled otherwise", `{"size":1,"x":1e2}`, false},
		{"an escape", `{"size":1,"x":"\u00fc\/"}`, false},
		{"a null within", `{"size":null}`, false},
	} {
		src := freeBox{Danger: runtime.JSON(test.free)}
		visible := freeToTyped(&src)
		if _, isCovered := visible.PropertyBag["$coveredProperties"]; isCovered != test.isCovered {
			t.Errorf("%s: covered %t: %v, %s", test.reason, isCovered, visible.AdditionalProperties, visible.PropertyBag)
		}
		if back := freeFromTyped(&visible); string(back.Danger) != test.free || len(back.PropertyBag) > 0 {
			t.Errorf("%s: %s comes back as %s, %v", test.reason, test.free, back.Danger, back.PropertyBag)
		}
	}
}

// TestMembersWithBagsAreNoFreeJSON leaves an additional member alone that has more than members in
// its property bag: as free JSON it would be another value.
func TestMembersWithBagsAreNoFreeJSON(t *testing.T) {
	src := typedBox{AdditionalProperties: map[string]lidBox{"danger": {PropertyBag: runtime.PropertyBag{
		"foreign@v1999": runtime.JSON(`1`), "x": runtime.JSON(`2`),
	}}}}
	named := freeFromTyped(&src)
	if diff := cmp.Diff(src, freeToTyped(&named)); diff != "" {
		t.Errorf("%v: %s", named, diff)
	}
}

// textsBox has texts as additional members of additional members.
type textsBox struct {
	AdditionalProperties map[string]map[string]string `json:"-"`
	PropertyBag          runtime.PropertyBag          `json:"$propertyBag,omitzero"`
}

// TestFreeJSONInObjectsKeepsItsSpelling shows an object with a member of free JSON as a map.
func TestFreeJSONInObjectsKeepsItsSpelling(t *testing.T) {
	for _, test := range []struct {
		free      genruntime.Lists
		object    string
		isCovered bool
	}{
		{genruntime.Lists{{{Name: "danger"}, {Rest: true}}}, `{"danger":"\u00fc\/"}`, true},
		{genruntime.Lists{{{Name: "danger"}, {Rest: true}}}, `{"danger":"ü"}`, false},
		{genruntime.Lists{{{Name: "other"}}}, `{"danger":"\u00fc\/","other":"s"}`, false},
		{genruntime.Lists{{{Rest: true}}}, `{"z":"\u00fc","a":"s"}`, true},
		{genruntime.Lists{{{Rest: true}}}, `{"z":"s","a":"s"}`, false},
	} {
		known := genruntime.Furthers{{Name: "box", Key: "box", Kind: "o", Free: test.free}}
		visible := textsBox{PropertyBag: runtime.PropertyBag{"box": runtime.JSON(test.object)}}
		genruntime.Raise(&visible, known)
		if _, isCovered := visible.PropertyBag["$coveredProperties"]; isCovered != test.isCovered {
			t.Errorf("%s, of which %v is free: covered %t: %v", test.object, test.free, isCovered, visible)
		}
		back := genruntime.Lower(&visible, known)
		if test.isCovered && string(back["box"]) != test.object || len(back) != 1 {
			t.Errorf("%s, of which %v is free, comes back as %s", test.object, test.free, back)
		}
	}
}
