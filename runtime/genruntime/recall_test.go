package genruntime_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

func TestRecall(t *testing.T) {
	for _, test := range []struct {
		reason string
		entry  string
		recall func(bag *runtime.PropertyBag) (any, bool)
		want   any // nil when the entry must stay
	}{
		{"text", `"a"`, recalling[*string], new("a")},
		{"empty text", `""`, recalling[*string], new("")},
		{"text with escapes", `"\u00fc\n\"é"`, recalling[*string], new("ü\n\"é")},
		{"an integer", `-17`, recalling[*int64], new(int64(-17))},
		{"zero", `0`, recalling[*int64], new(int64)},
		{"the largest integer", `9223372036854775807`, recalling[*int64], new(int64(math.MaxInt64))},
		{"a number", `-1.5e3`, recalling[*float64], new(-1500.0)},
		{"a whole number as float64", `2`, recalling[*float64], new(2.0)},
		{"true", `true`, recalling[*bool], new(true)},
		{"false", `false`, recalling[*bool], new(false)},
		{"an empty list", `[]`, recalling[[]string], []string{}},
		{"a list", `["a",""]`, recalling[[]string], []string{"a", ""}},
		{"a list of objects", `[{"number":1}]`, recalling[[]address], []address{{Number: new(int64(1))}}},
		{"an empty map", `{}`, recalling[map[string]string], map[string]string{}},
		{"a list of lists", `[[],["a"]]`, recalling[[][]string], [][]string{{}, {"a"}}},
		{"an empty object", `{}`, recalling[*address], &address{}},
		{"an object with a bag", `{"$propertyBag":{"x":1.0}}`, recalling[*address], &address{PropertyBag: runtime.PropertyBag{"x": runtime.JSON("1.0")}}},
		{"free JSON", `{"a":[1.0,null]}`, recalling[runtime.JSON], runtime.JSON(`{"a":[1.0,null]}`)},
		{"null within free JSON", `{"free":{"a":null}}`, recalling[*address], &address{Free: runtime.JSON(`{"a":null}`)}},
		{"a null member reads as absent", `{"street":null,"number":1}`, recalling[*address], &address{Number: new(int64(1))}},
		{"an object that keeps other members", `{"name":"a","x":1.0}`, recalling[*open], &open{Name: new("a"), AdditionalProperties: map[string]runtime.JSON{"x": runtime.JSON("1.0")}}},
		{"an unknown member goes to the bag", `{"street":"a","town":"b"}`, recalling[*address], &address{Street: new("a"), PropertyBag: runtime.PropertyBag{"town": runtime.JSON(`"b"`)}}},
		{"beside what is there", `{"town":"b","$propertyBag":{"x":1.0}}`, recalling[*address], &address{PropertyBag: runtime.PropertyBag{"x": runtime.JSON("1.0"), "town": runtime.JSON(`"b"`)}}},
		{"deep inside, to the nearest", `{"former":[{"town":{"a":[1.0,null]}}]}`, recalling[*address], &address{Former: []address{{PropertyBag: runtime.PropertyBag{"town": runtime.JSON(`{"a":[1.0,null]}`)}}}}},
		{"in lists and maps", `[{"a":{"town":1}}]`, recalling[[]map[string]address], []map[string]address{{"a": {PropertyBag: runtime.PropertyBag{"town": runtime.JSON("1")}}}}},
		{"in an open object", `{"home":{"town":"b"}}`, recalling[*open], &open{Home: &address{PropertyBag: runtime.PropertyBag{"town": runtime.JSON(`"b"`)}}}},
		{"a member in another case is unknown", `{"Street":"a"}`, recalling[*address], &address{PropertyBag: runtime.PropertyBag{"Street": runtime.JSON(`"a"`)}}},

		{"null is no value", `null`, recalling[*string], nil},
		{"null is no list", `null`, recalling[[]string], nil},
		{"null is no free JSON", `null`, recalling[runtime.JSON], nil},
		{"a number is no text", `1`, recalling[*string], nil},
		{"text is no number", `"1"`, recalling[*int64], nil},
		{"a fraction is no integer", `1.5`, recalling[*int64], nil},
		{"an integer that is spelled as a fraction would lose its spelling", `1.0`, recalling[*int64], nil},
		{"an integer beyond int64", `9223372036854775808`, recalling[*int64], nil},
		{"an integer that float64 cannot hold", `9007199254740993`, recalling[*float64], nil},
		{"a number beyond float64", `1e400`, recalling[*float64], nil},
		{"such integers deep inside", `[{"former":[{"height":9007199254740993}]}]`, recalling[[]address], nil},
		{"an object is no list", `{}`, recalling[[]string], nil},
		{"a list is no object", `[]`, recalling[*address], nil},
		{"a list of another kind", `["a",1]`, recalling[[]string], nil},
		{"a null element would become a value", `["a",null]`, recalling[[]string], nil},
		{"a null entry would become a value", `{"a":null}`, recalling[map[string]string], nil},
		{"an unknown member twice", `{"town":"a","town":"b"}`, recalling[*address], nil},
		{"an unknown member that is in the bag", `{"town":"a","$propertyBag":{"town":"b"}}`, recalling[*address], nil},
		{"an unknown member beside a bag that is none", `{"town":"a","$propertyBag":[]}`, recalling[*address], nil},
		{"an unknown member of a type without a bag", `{"name":"a","town":"b"}`, recalling[*runtime.Owner], nil},
		{"an unknown member, and a wrong kind", `{"town":"a","number":"b"}`, recalling[*address], nil},
		{"an unknown member, and a null element", `{"town":"a","lines":[null]}`, recalling[*address], nil},
		{"an unknown member, and an integer that float64 cannot hold", `{"town":"a","height":9007199254740993}`, recalling[*address], nil},
		{"a member twice", `{"street":"a","street":"b"}`, recalling[*address], nil},
		{"damaged JSON", `{"street":`, recalling[*address], nil},
		{"damaged text", `"a`, recalling[*string], nil},
		{"a lone quote", `"`, recalling[*string], nil},
		{"a damaged integer", `01`, recalling[*int64], nil},
		{"a sign alone", `-`, recalling[*int64], nil},
		{"nothing", ``, recalling[*string], nil},
	} {
		t.Run(test.reason, func(t *testing.T) {
			before := runtime.PropertyBag{"key": runtime.JSON(test.entry), "other": runtime.JSON("2")}
			bag := before.Clone()
			got, found := test.recall(&bag)
			if test.want == nil {
				if diff := cmp.Diff(before, bag); found || diff != "" {
					t.Errorf("recalled %v as %v, and the bag changed by\n%s", found, got, diff)
				}
				return
			}
			if diff := cmp.Diff(test.want, got); !found || diff != "" {
				t.Errorf("recalled %v\n%s", found, diff)
			}
			if diff := cmp.Diff(runtime.PropertyBag{"other": runtime.JSON("2")}, bag); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func recalling[T any](bag *runtime.PropertyBag) (any, bool) {
	var dst T
	found := genruntime.Recall(bag, "key", &dst)
	return dst, found
}

func TestRecallWithoutEntryChangesNothing(t *testing.T) {
	for _, bag := range []runtime.PropertyBag{nil, {}, {"other": runtime.JSON("1")}} {
		before, value := bag.DeepCopy(), new("live")
		if genruntime.Recall(&bag, "key", &value) || *value != "live" {
			t.Errorf("recalled from %v, value %q", bag, *value)
		}
		if diff := cmp.Diff(before, bag); diff != "" {
			t.Error(diff)
		}
	}
}

func TestFailedRecallKeepsLiveValue(t *testing.T) {
	bag, value := runtime.PropertyBag{"key": runtime.JSON(`["a",1]`)}, []string{"live"}
	if genruntime.Recall(&bag, "key", &value) || value[0] != "live" {
		t.Errorf("recalled %v", value)
	}
}

func TestPeekLeavesEntry(t *testing.T) {
	bag := runtime.PropertyBag{"key": runtime.JSON("1")}
	var value *int64
	if !genruntime.Peek(bag, "key", &value) || *value != 1 || len(bag) != 1 {
		t.Errorf("peeked %v, bag %v", value, bag)
	}
	if genruntime.Peek(bag, "none", &value) {
		t.Error("peeked at an entry that does not exist")
	}
}

func TestLastEntryThatIsRecalledLeavesNoBag(t *testing.T) {
	bag := runtime.PropertyBag{"key": runtime.JSON("1")}
	var value *int64
	if !genruntime.Recall(&bag, "key", &value) || bag != nil {
		t.Errorf("bag is %v, want nil", bag)
	}
}

func TestRecallMembers(t *testing.T) {
	for _, test := range []struct {
		reason, entry string
		want          map[string]int64
	}{
		{"members are taken", `{"a":1}`, map[string]int64{"a": 1}},
		{"no members are left", `{}`, nil},
		{"however they are spelled", ` { } `, nil},
		{"another kind is left", `[1]`, nil},
	} {
		bag, got := runtime.PropertyBag{"key": runtime.JSON(test.entry)}, map[string]int64(nil)
		if taken := genruntime.RecallMembers(&bag, "key", &got); taken != (test.want != nil) || taken != (bag == nil) {
			t.Errorf("%s: taken is %t, and the bag is %v", test.reason, taken, bag)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.reason, diff)
		}
	}
}
