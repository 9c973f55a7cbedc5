package genruntime_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// lidBox is an object that is an additional member of a typedBox, and a property of a lidded one.
type lidBox struct {
	Size        *int64              `json:"size,omitzero"`
	Inner       *lidBox             `json:"inner,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type typedBox struct {
	AdditionalProperties map[string]lidBox   `json:"-"`
	PropertyBag          runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type liddedBox struct {
	Danger      *lidBox             `json:"danger,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

var typedFurthers = genruntime.Furthers{{Name: "danger", Key: "danger", Kind: "o"}}

func typedToLidded(src *typedBox) (dst liddedBox) {
	src, dst.PropertyBag = genruntime.LowerNamed(src, typedFurthers)
	genruntime.Recall(&dst.PropertyBag, "danger", &dst.Danger)
	genruntime.Stash(&dst.PropertyBag, "$additionalProperties", src.AdditionalProperties)
	genruntime.RaiseNamed(&dst, typedFurthers)
	return dst
}

func typedFromLidded(src *liddedBox) (dst typedBox) {
	src, dst.PropertyBag = genruntime.LowerNamed(src, typedFurthers)
	genruntime.RecallMembers(&dst.PropertyBag, "$additionalProperties", &dst.AdditionalProperties)
	genruntime.Stash(&dst.PropertyBag, "danger", src.Danger)
	genruntime.RaiseNamed(&dst, typedFurthers)
	return dst
}

// wrongSize is a box as a version decodes one with a size of the wrong type.
func wrongSize(size string) lidBox {
	return lidBox{PropertyBag: runtime.PropertyBag{bag.RawKey("size", "v1"): runtime.JSON(size)}}
}

func TestTypedMembersThatVersionNames(t *testing.T) {
	for _, test := range []struct {
		reason  string
		members map[string]lidBox
		named   string
	}{
		{"a named one", map[string]lidBox{"danger": {Size: new(int64(1))}}, `{"danger":{"size":1}}`},
		{"with a member of its bag", map[string]lidBox{"danger": {PropertyBag: runtime.PropertyBag{"x": runtime.JSON("1")}}}, `{"danger":{"$propertyBag":{"x":1}}}`},
		{"one that nobody names", map[string]lidBox{"other": {Size: new(int64(1))}}, `{"$propertyBag":{"$additionalProperties":{"other":{"size":1}}}}`},
		{"a wrong one", map[string]lidBox{"danger": wrongSize(`"s"`)},
			`{"$propertyBag":{"$additionalProperties":{"danger":{"$propertyBag":{"size@v1!raw":"s"}}}}}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			src := typedBox{AdditionalProperties: test.members}
			named := typedToLidded(&src)
			fixtures.SameText(t, "named", &named, test.named)
			if diff := cmp.Diff(src, typedFromLidded(&named)); diff != "" {
				t.Errorf("shown again: %s", diff)
			}
		})
	}
}

func TestWrongTypedMemberReplacesOlderOne(t *testing.T) {
	named := typedToLidded(&typedBox{AdditionalProperties: map[string]lidBox{"danger": wrongSize(`"old"`)}})
	named.Danger = &lidBox{Size: new(int64(1))}
	visible := typedFromLidded(&named)
	if diff := cmp.Diff(map[string]lidBox{"danger": *named.Danger}, visible.AdditionalProperties); diff != "" {
		t.Fatalf("shown before the edit: %s", diff)
	}
	edited := typedBox{AdditionalProperties: map[string]lidBox{"danger": wrongSize(`"new"`)}, PropertyBag: visible.PropertyBag.Clone()}
	stored := typedToLidded(&edited)
	back := typedFromLidded(&stored)
	if diff := cmp.Diff(edited.AdditionalProperties, back.AdditionalProperties); diff != "" {
		t.Errorf("shown after the edit: %s", diff)
	}
}

// bothBox names a member and is open for more.
type bothBox struct {
	Danger               *lidBox             `json:"danger,omitzero"`
	AdditionalProperties map[string]lidBox   `json:"-"`
	PropertyBag          runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func typedToBoth(src *typedBox) (dst bothBox) {
	src, dst.PropertyBag = genruntime.LowerNamed(src, typedFurthers)
	dst.AdditionalProperties = src.AdditionalProperties
	genruntime.Recall(&dst.PropertyBag, "danger", &dst.Danger)
	genruntime.RaiseNamed(&dst, typedFurthers)
	return dst
}

func typedFromBoth(src *bothBox) (dst typedBox) {
	src, dst.PropertyBag = genruntime.LowerNamed(src, typedFurthers)
	dst.AdditionalProperties = src.AdditionalProperties
	genruntime.Stash(&dst.PropertyBag, "danger", src.Danger)
	genruntime.RaiseNamed(&dst, typedFurthers)
	return dst
}

func TestRemovedTypedMemberStaysAway(t *testing.T) {
	both := typedToBoth(&typedBox{AdditionalProperties: map[string]lidBox{"danger": wrongSize(`"old"`)}})
	both.Danger = &lidBox{Size: new(int64(1))}
	visible := typedFromBoth(&both)
	if diff := cmp.Diff(map[string]lidBox{"danger": *both.Danger}, visible.AdditionalProperties); diff != "" {
		t.Fatalf("shown before the edit: %s", diff)
	}
	if diff := cmp.Diff(both, typedToBoth(&visible)); diff != "" {
		t.Errorf("nobody has edited it: %s", diff)
	}
	for _, test := range []struct {
		reason  string
		members map[string]lidBox
	}{
		{"removed", nil},
		{"changed", map[string]lidBox{"danger": {Size: new(int64(2))}}},
		{"changed to a wrong one", map[string]lidBox{"danger": wrongSize(`"new"`)}},
	} {
		stored := typedToBoth(&typedBox{AdditionalProperties: test.members, PropertyBag: visible.PropertyBag.Clone()})
		if diff := cmp.Diff(typedBox{AdditionalProperties: test.members}, typedFromBoth(&stored)); diff != "" {
			t.Errorf("%s: %s", test.reason, diff)
		}
	}
}

func TestNullBesideTypedMembers(t *testing.T) {
	src := &openBox{AdditionalProperties: map[string]runtime.JSON{"danger": nil}}
	var typed typedBox
	_, typed.PropertyBag = genruntime.LowerNamed(src, typedFurthers)
	genruntime.RaiseNamed(&typed, typedFurthers)
	fixtures.SameText(t, "typed", typed.PropertyBag, `{"$namedProperties":{"danger":null}}`)
	var back openBox
	_, back.PropertyBag = genruntime.LowerNamed(&typed, typedFurthers)
	genruntime.RaiseNamed(&back, typedFurthers)
	if diff := cmp.Diff(openBox{AdditionalProperties: map[string]runtime.JSON{"danger": nil}}, back); diff != "" {
		t.Errorf("shown again: %s", diff)
	}
}

// openToTyped and typedToOpen are steps between free and typed additional members.
func openToTyped(src *openBox) (dst typedBox) {
	src, dst.PropertyBag = genruntime.LowerNamed(src, typedFurthers)
	genruntime.Stash(&dst.PropertyBag, "$additionalProperties", src.AdditionalProperties)
	genruntime.RaiseNamed(&dst, typedFurthers)
	return dst
}

func openFromTyped(src *typedBox) (dst openBox) {
	_, dst.PropertyBag = genruntime.LowerNamed(src, typedFurthers)
	genruntime.RecallMembers(&dst.PropertyBag, "$additionalProperties", &dst.AdditionalProperties)
	genruntime.RaiseNamed(&dst, typedFurthers)
	return dst
}

// TestTypedMembersComeBack takes additional members of every form through each other type, and
// wants them back as they were, from a source that has not changed.
func TestTypedMembersComeBack(t *testing.T) {
	boxes := map[string]lidBox{
		"empty":                               {},
		"a member":                            {Size: new(int64(0))},
		"an object":                           {Inner: &lidBox{Size: new(int64(1)), Inner: &lidBox{}}},
		"a bag":                               {PropertyBag: runtime.PropertyBag{"x": runtime.JSON(`{"y":null}`), "a@v1@": runtime.JSON("1")}},
		"a bag with a member called so":       {Size: new(int64(1)), PropertyBag: runtime.PropertyBag{"$$propertyBag": runtime.JSON("1")}},
		"a bag with a key that no member has": {Size: new(int64(1)), PropertyBag: runtime.PropertyBag{"$propertyBag": runtime.JSON(`{"size":2}`)}},
		"a bag with both of these":            {PropertyBag: runtime.PropertyBag{"$propertyBag": runtime.JSON("1"), "$$propertyBag": runtime.JSON("2")}},
		"a bag within with a key of these":    {Inner: &lidBox{PropertyBag: runtime.PropertyBag{"$propertyBag": runtime.JSON("1"), "x": runtime.JSON("2")}}},
		"a bag within":                        {Inner: &lidBox{PropertyBag: runtime.PropertyBag{"x": runtime.JSON("[1.50]")}}},
		"a wrong value":                       wrongSize(`"s"`),
		"a wrong value within":                {Inner: new(wrongSize(`[]`))},
		"a wrong value beside others":         {Size: new(int64(1)), Inner: &lidBox{}, PropertyBag: runtime.PropertyBag{"inner@v2!raw": runtime.JSON("1"), "x": runtime.JSON("2")}},
	}
	through := map[string]func(src *typedBox) typedBox{
		"a type that names one": func(src *typedBox) typedBox {
			dst := typedToLidded(src)
			return typedFromLidded(&dst)
		},
		"a type that names one, and is open": func(src *typedBox) typedBox {
			dst := typedToBoth(src)
			return typedFromBoth(&dst)
		},
		"both of these": func(src *typedBox) typedBox {
			lidded := typedToLidded(src)
			again := typedFromLidded(&lidded)
			both := typedToBoth(&again)
			return typedFromBoth(&both)
		},
	}
	for what, box := range boxes {
		for _, names := range [][]string{{"danger"}, {"other"}, {"danger", "other"}, {"$propertyBag", "", "danger"}} {
			members := func() typedBox {
				src := typedBox{AdditionalProperties: map[string]lidBox{}}
				for _, name := range names {
					src.AdditionalProperties[name] = box
				}
				return src
			}
			for by, convert := range through {
				src := members()
				got := convert(&src)
				if diff := cmp.Diff(members(), got); diff != "" {
					t.Errorf("%s, called %q, by %s: %s", what, names, by, diff)
				}
				if diff := cmp.Diff(members(), src); diff != "" {
					t.Errorf("%s, called %q, by %s, changed the source: %s", what, names, by, diff)
				}
			}
		}
	}
}

// TestFreeMembersComeBack does the same with additional members that are any JSON.
func TestFreeMembersComeBack(t *testing.T) {
	for _, name := range []string{"danger", "inner", "known", "other", "", "$propertyBag", "$additionalProperties", "danger@v3"} {
		for _, other := range fixtures.Others {
			if other == (fixtures.Absence{}) {
				continue
			}
			members := func() *openBox {
				return &openBox{AdditionalProperties: map[string]runtime.JSON{name: runtime.JSON(fixtures.Spell(other, false)), "beside": runtime.JSON("1")}}
			}
			if name == "known" {
				continue // which the box names itself
			}
			check := func(by string, got openBox) {
				t.Helper()
				if diff := cmp.Diff(normalized(t, members()), normalized(t, &got)); diff != "" {
					t.Errorf("%q: %s by %s: %s", name, fixtures.Spell(other, false), by, diff)
				}
			}
			var named namedBox
			var back openBox
			openToNamed(members(), &named)
			openFromNamed(&named, &back)
			check("a type that names it", back)

			src := members()
			closed := closedBox{PropertyBag: genruntime.Lower(src, boxFurthers)}
			genruntime.Raise(&closed, boxFurthers)
			back = openBox{PropertyBag: genruntime.Lower(&closed, boxFurthers)}
			genruntime.Raise(&back, boxFurthers)
			check("a closed type", back)
			if diff := cmp.Diff(members(), src); diff != "" {
				t.Errorf("the source changed: %s", diff)
			}

			typed := openToTyped(members())
			check("a type whose members are objects", openFromTyped(&typed))
		}
	}
}

// normalized returns the JSON values of a box, without the values from which its members were
// made.
func normalized(t *testing.T, box *openBox) map[string]any {
	t.Helper()
	out := map[string]any{}
	for where, members := range map[string]map[string]runtime.JSON{"open": box.AdditionalProperties, "bag": box.PropertyBag} {
		for name, text := range members {
			if where == "bag" && name == bag.CoveredKey {
				continue
			}
			value, err := jsontext.Parse(jsontext.OrNull(text))
			if err != nil {
				t.Fatal(err)
			}
			out[where+" "+name] = fixtures.Normalize(value)
		}
	}
	return out
}

// TestWaitingMemberIsNotOverwritten has an older value in the map of additional members, and a
// newer one in the bag. The newer one must win.
func TestWaitingMemberIsNotOverwritten(t *testing.T) {
	src := typedBox{
		AdditionalProperties: map[string]lidBox{"danger": {Size: new(int64(1))}},
		PropertyBag:          runtime.PropertyBag{bag.NamedKey: runtime.JSON(`{"danger":[2]}`)},
	}
	dst := bothBox{AdditionalProperties: src.AdditionalProperties, PropertyBag: src.PropertyBag.Clone()}
	genruntime.RaiseNamed(&dst, typedFurthers)
	fixtures.SameText(t, "the bag", dst.PropertyBag, `{"$namedProperties":{"danger":[2]},"$foreignProperties":{"danger":{"size":1}}}`)
	if dst.AdditionalProperties != nil {
		t.Errorf("the members are %v", dst.AdditionalProperties)
	}
}

// TestStrangersOfOneName has two kinds of values under $foreignProperties. One that cannot be
// plain JSON is an older value of the member, and becomes part of its cover. A plain one is that
// of another property, and stays.
func TestStrangersOfOneName(t *testing.T) {
	for _, test := range []struct{ reason, stranger, want string }{
		{"of another property", `{"size":1}`, `{"$foreignProperties":{"danger":{"size":1}}}`},
		{"an older value", `{"$propertyBag":{"size@v1!raw":"s"}}`,
			`{"$coveredProperties":{"danger":{"key":"danger","shown":{"size":2},"stored":{"danger":{"size":2},"$foreignProperties":{"$propertyBag":{"size@v1!raw":"s"}}}}}}`},
	} {
		box := typedBox{PropertyBag: runtime.PropertyBag{"danger": runtime.JSON(`{"size":2}`), bag.ForeignKey: runtime.JSON(`{"danger":` + test.stranger + `}`)}}
		genruntime.RaiseNamed(&box, typedFurthers)
		fixtures.SameText(t, test.reason+": the members", box.AdditionalProperties, `{"danger":{"size":2}}`)
		fixtures.SameText(t, test.reason+": the bag", box.PropertyBag, test.want)
	}
}

// TestForeignNamesWin checks that the live value of another property wins if both have a value of
// the same name.
func TestForeignNamesWin(t *testing.T) {
	src := openBox{AdditionalProperties: map[string]runtime.JSON{"danger": runtime.JSON("1")}, PropertyBag: runtime.PropertyBag{"danger": runtime.JSON("true"), bag.ForeignKey: runtime.JSON(`{"danger":2,"lid":3}`)}}
	bag := genruntime.Lower(&src, boxFurthers, "danger")
	fixtures.SameText(t, "the bag", bag, `{"danger":true,"$foreignProperties":{"danger":1,"lid":3}}`)
	open := openBox{PropertyBag: bag}
	genruntime.Raise(&open, boxFurthers, "danger")
	fixtures.SameText(t, "shown where the name is foreign", texts(open.AdditionalProperties), `{"danger":"1"}`)
	fixtures.SameText(t, "what stays", open.PropertyBag, `{"danger":true,"$foreignProperties":{"lid":3}}`)
}
