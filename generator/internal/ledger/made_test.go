package ledger

import "testing"

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
		if got := before.Allows(now); got != test.want {
			t.Errorf("%s: %s after %s: %t", test.reason, test.now, test.before, got)
		}
	}
}
