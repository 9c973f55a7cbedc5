package genruntime_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime/genruntime"
)

// TestMembersOfOpenObjects wants the additional members of an open object to be absent if there are
// none, and the map that they become to be there.
func TestMembersOfOpenObjects(t *testing.T) {
	for _, test := range []struct {
		reason   string
		src      map[string]digits
		to, from map[string]number
		err      string
	}{
		{"no members", nil, nil, map[string]number{}, ""},
		{"an empty map", map[string]digits{}, nil, map[string]number{}, ""},
		{"members", map[string]digits{"a": {"7"}}, map[string]number{"a": {7}}, map[string]number{"a": {7}}, ""},
		{"a member that fails", map[string]digits{"a": {"x"}, "b": {"1"}}, map[string]number{"a": {-1}, "b": {1}}, map[string]number{"a": {-1}, "b": {1}}, `value "a": no digits`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			to, from := map[string]number{"old": {1}}, map[string]number{"old": {1}}
			checkConversion(t, genruntime.MembersTo(&to, test.src, toNumber), test.err, test.to, to)
			checkConversion(t, genruntime.MembersFrom(&from, test.src, fromDigits), test.err, test.from, from)
		})
	}
}

// TestMembersThatNeedNoConversion wants the same of members that both sides represent alike.
func TestMembersThatNeedNoConversion(t *testing.T) {
	for _, test := range []struct {
		reason        string
		src, to, from map[string]int
	}{
		{"no members", nil, nil, map[string]int{}},
		{"an empty map", map[string]int{}, nil, map[string]int{}},
		{"members", map[string]int{"a": 1}, map[string]int{"a": 1}, map[string]int{"a": 1}},
	} {
		to, from := map[string]int{"old": 1}, map[string]int{"old": 1}
		if err := genruntime.SetMembersTo(&to, test.src); err != nil {
			t.Error(err)
		}
		if err := genruntime.SetMembersFrom(&from, test.src); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(test.to, to); diff != "" {
			t.Errorf("%s to an open object:\n%s", test.reason, diff)
		}
		if diff := cmp.Diff(test.from, from); diff != "" {
			t.Errorf("%s from an open object:\n%s", test.reason, diff)
		}
	}
}

// TestMapsThatBecomeObjects wants an absent map to be an absent object, and an empty one an object.
func TestMapsThatBecomeObjects(t *testing.T) {
	toObject := func(src *map[string]string, dst *digits) error { dst.Text = (*src)["text"]; return nil }
	fromObject := func(dst *map[string]string, src *digits) error {
		*dst = map[string]string{"text": src.Text}
		return nil
	}
	for _, test := range []struct {
		reason string
		src    map[string]string
		want   *digits
	}{
		{"absent", nil, nil}, {"empty", map[string]string{}, &digits{}}, {"an entry", map[string]string{"text": "7"}, &digits{"7"}},
	} {
		got := &digits{"old"}
		err := genruntime.MapObjectTo(&got, test.src, toObject)
		checkConversion(t, err, "", test.want, got)
	}
	for _, test := range []struct {
		src  *digits
		want map[string]string
	}{{nil, nil}, {&digits{"7"}, map[string]string{"text": "7"}}} {
		got := map[string]string{"old": "1"}
		err := genruntime.MapObjectFrom(&got, test.src, fromObject)
		checkConversion(t, err, "", test.want, got)
	}
}
