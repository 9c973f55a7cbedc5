package genruntime

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
)

// leaf is the change of a whole value, and in that of values within.
func leaf(to string) change { return change{To: runtime.JSON(to)} }

func in(inner map[string]change) change { return change{In: inner} }

// TestSetsOfChanges compares changes by the values that they change. A whole value includes the
// values within it.
func TestSetsOfChanges(t *testing.T) {
	type all = map[string]change
	a, b := leaf("1"), leaf("2")
	both := in(all{"a": a, "o": in(all{"x": a, "y": b})})
	for _, test := range []struct {
		reason        string
		c, other      change
		only, without change
		overlaps      bool
	}{
		{"no change", change{}, both, change{}, change{}, false},
		{"no other", both, change{}, change{}, both, false},
		{"itself", both, both, both, change{}, true},
		{"another member", in(all{"a": a}), in(all{"b": a}), change{}, in(all{"a": a}), false},
		{"another value of the member", in(all{"a": a, "b": b}), in(all{"a": b}), in(all{"a": a}), in(all{"b": b}), true},
		{"one value of an object", both, in(all{"o": in(all{"y": a})}), in(all{"o": in(all{"y": b})}), in(all{"a": a, "o": in(all{"x": a})}), true},
		{"another value of an object", in(all{"o": in(all{"x": a})}), in(all{"o": in(all{"y": a})}), change{}, in(all{"o": in(all{"x": a})}), false},
		{"the whole object", in(all{"o": in(all{"x": a})}), in(all{"o": b}), in(all{"o": in(all{"x": a})}), change{}, true},
		{"a value of a whole object", in(all{"o": b}), in(all{"o": in(all{"x": a})}), in(all{"o": b}), change{}, true},
	} {
		for what, pair := range map[string][2]change{"only": {test.only, test.c.only(test.other)}, "without": {test.without, test.c.without(test.other)}} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Errorf("%s: %s:\n%s", test.reason, what, diff)
			}
		}
		if got := test.c.overlaps(test.other); got != test.overlaps {
			t.Errorf("%s: overlaps: %t", test.reason, got)
		}
	}
}

// TestChangesExceptRestoredOnes wants a change to lose the values that were restored and not given.
func TestChangesExceptRestoredOnes(t *testing.T) {
	type all = map[string]change
	a, b := leaf("1"), leaf("2")
	object := in(all{"x": a, "y": b})
	for _, test := range []struct {
		reason                   string
		c, restored, given, want change
	}{
		{"nothing restored", in(all{"a": a}), change{}, change{}, in(all{"a": a})},
		{"restored", in(all{"a": a, "b": b, "c": a}), in(all{"a": b, "c": b}), change{}, in(all{"b": b})},
		{"restored and given", in(all{"a": a}), in(all{"a": b}), in(all{"a": b}), in(all{"a": a})},
		{"one value of an object", in(all{"o": object}), in(all{"o": object}), in(all{"o": in(all{"y": a})}), in(all{"o": in(all{"y": b})})},
		{"all values of an object", in(all{"b": b, "n": object, "o": object, "p": object}),
			in(all{"n": object, "o": object, "p": object}), in(all{"n": in(all{"z": a}), "o": in(all{"z": a}), "p": in(all{"z": a})}), in(all{"b": b})},
		{"a whole object", in(all{"o": a}), in(all{"o": object}), in(all{"o": object}), in(all{"o": a})},
		{"an object that was restored as a whole", in(all{"o": object}), in(all{"o": a}), in(all{"o": in(all{"z": a})}), in(all{"o": object})},
		{"an object that was given as a whole", in(all{"o": object}), in(all{"o": object}), in(all{"o": a}), in(all{"o": object})},
	} {
		if diff := cmp.Diff(test.want, test.c.except(test.restored, test.given)); diff != "" {
			t.Errorf("%s:\n%s", test.reason, diff)
		}
	}
}

// TestFreeJSONIsComparedByItsMembers wants the order of members not to count, and an absent value
// to differ from null.
func TestFreeJSONIsComparedByItsMembers(t *testing.T) {
	for _, test := range []struct {
		a, b runtime.JSON
		want bool
	}{
		{nil, nil, true},
		{runtime.JSON(`{"a":1,"b":2}`), runtime.JSON(`{"b":2,"a":1}`), true},
		{runtime.JSON(`{"a":1}`), runtime.JSON(`{"a":2}`), false},
		{nil, runtime.JSON(`1`), false},
		{runtime.JSON(`1`), nil, false},
		{runtime.JSON(`null`), nil, false},
		{nil, runtime.JSON(`null`), false},
	} {
		if got := isSameLeaf(reflect.ValueOf(test.a), reflect.ValueOf(test.b)); got != test.want {
			t.Errorf("%s and %s are the same: %t", test.a, test.b, got)
		}
	}
}

type summed struct {
	Parts map[string]summedPart `json:"parts,omitzero"`
	Texts map[string]string     `json:"texts,omitzero"`
}

type summedPart struct {
	A *int64 `json:"a,omitzero"`
	B *int64 `json:"b,omitzero"`
}

// TestSumsOfDerivedEntries wants the sum of what a step derives to change with each entry of a map
// of objects, also with one that the step removes.
func TestSumsOfDerivedEntries(t *testing.T) {
	one, two := int64(1), int64(2)
	near := &summed{Parts: map[string]summedPart{"x": {}, "y": {}}}
	sum := func(near *summed, made map[string]summedPart) string {
		return derivedSum(near, near, func(_ *summed, dst *summed) error { dst.Parts = made; return nil })
	}
	untouched := sum(near, map[string]summedPart{"x": {}, "y": {}})
	if again := sum(near, map[string]summedPart{"y": {}, "x": {}}); again != untouched {
		t.Errorf("the sums %s and %s of the same entries differ", again, untouched)
	}
	seen := map[string]string{untouched: "no entry"}
	for reason, made := range map[string]map[string]summedPart{
		"a value in x":          {"x": {A: &one}, "y": {}},
		"another value in x":    {"x": {A: &two}, "y": {}},
		"the value in y":        {"x": {}, "y": {A: &one}},
		"values in both":        {"x": {A: &one}, "y": {A: &one}},
		"another member":        {"x": {B: &one}, "y": {}},
		"a new entry":           {"x": {}, "y": {}, "z": {}},
		"a new entry, value":    {"x": {}, "y": {}, "z": {A: &one}},
		"two new entries":       {"x": {}, "y": {}, "z": {}, "u": {}},
		"x is removed":          {"y": {}},
		"y is removed":          {"x": {}},
		"x is removed, y set":   {"y": {A: &one}},
		"x is replaced":         {"y": {}, "z": {}},
		"all entries of before": {"z": {}},
	} {
		got := sum(near, made)
		if other, known := seen[got]; known {
			t.Errorf("%s and %s have the same sum", reason, other)
		}
		seen[got] = reason
	}
	texts := map[string]string{}
	for reason, made := range map[string]map[string]string{
		"no text": {}, "one": {"a": "b"}, "turned": {"b": "a"}, "two": {"a": "b", "c": "d"}, "crossed": {"a": "d", "c": "b"},
	} {
		got := derivedSum(near, near, func(_ *summed, dst *summed) error { dst.Texts = made; return nil })
		if other, known := texts[got]; known {
			t.Errorf("%s and %s have the same sum", reason, other)
		}
		texts[got] = reason
	}
}
