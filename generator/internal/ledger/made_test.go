package ledger

import (
	"testing"

	"github.com/stratakube/strata/generator/internal/model"
)

func TestAllows(t *testing.T) {
	for _, test := range []struct {
		reason      string
		how         How
		before, now string
		want        bool
	}{
		{"earlier releases wrote nothing", Filled, "", "1", true},
		{"the same value", Filled, "1", "1", true},
		{"another value", Filled, "1", "5", false},
		{"another spelling of a number", Filled, "1.0", "1", true},
		{"integers that float64 cannot distinguish", Filled, "9007199254740993", "9007199254740992", false},
		{"another type", Filled, "1", `"1"`, false},
		{"a value instead of nothing", Filled, "null", "0", false},
		{"another order of members", Filled, `{"a":1,"b":2}`, `{"b": 2, "a": 1}`, true},
		{"a new member", Filled, `{"a":{}}`, `{"a":{"b":0}}`, true},
		{"a member less", Filled, `{"a":{"b":0}}`, `{"a":{}}`, false},
		{"an object instead of a text", Filled, `"a"`, `{"a":1}`, false},
		{"a new member in a list", Filled, `[{"a":1}]`, `[{"a":1,"b":2}]`, true},
		{"a new element", Filled, `[1]`, `[1,2]`, false},
		{"a function instead of a value", Filled, "0", "Zero()", false},
		{"a value instead of a function", Filled, "Zero()", "0", false},
		{"another function", Filled, "Zero()", "One()", false},
		{"another renamed value", Renamed, `[["a","b"]]`, `[["a","c"]]`, false},
		{"more renamed values", Renamed, `[["a","b"]]`, `[["a","b"],["c","d"]]`, false},
		{"another function back", Converted, "F() G()", "F() H()", false},
	} {
		before, now := Made{How: test.how, By: test.before}, Made{How: test.how, By: test.now}
		if got := before.Allows(now, nil); got != test.want {
			t.Errorf("%s: %s after %s: %t", test.reason, test.now, test.before, got)
		}
	}
}

// TestAllowsNewMembers checks that a value gains only members that the type did not have: objects
// that were stored without the others would read with them.
func TestAllowsNewMembers(t *testing.T) {
	inner := &model.Ref{Def: &model.Def{Type: &model.Object{Properties: []*model.Property{{Name: "old", Type: &model.Scalar{Kind: model.Int}}}}}}
	outer := &model.Ref{Def: &model.Def{Type: &model.Object{Properties: []*model.Property{
		{Name: "old", Type: &model.Scalar{Kind: model.Int}}, {Name: "inner", Type: inner}, {Name: "list", Type: &model.List{Elem: inner}}, {Name: "map", Type: &model.Map{Elem: inner}},
	}}}}
	for _, test := range []struct {
		before, now string
		want        bool
	}{
		{`{}`, `{"new":1}`, true},
		{`{}`, `{"old":1}`, false},
		{`{"inner":{}}`, `{"inner":{"new":1}}`, true},
		{`{"inner":{}}`, `{"inner":{"old":1}}`, false},
		{`{"list":[{}]}`, `{"list":[{"new":1}]}`, true},
		{`{"list":[{}]}`, `{"list":[{"old":1}]}`, false},
		{`{"map":{"a":{}}}`, `{"map":{"a":{"new":1}}}`, true},
		{`{"map":{}}`, `{"map":{"a":{}}}`, false},
	} {
		if got := (Made{How: Filled, By: test.before}).Allows(Made{How: Filled, By: test.now}, outer); got != test.want {
			t.Errorf("%s after %s: %t", test.now, test.before, got)
		}
	}
}
