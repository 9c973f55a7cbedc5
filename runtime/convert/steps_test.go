package convert

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSteps(t *testing.T) {
	for _, test := range []struct {
		reason, text string
		want         []planStep
	}{
		{"nothing changes", ``, []planStep{nil}},
		{"a name, and what is within by another step", `alphaKey>sortKey parts#1;a.b>"c d"#0`, []planStep{
			{{far: "alphaKey", near: "sortKey", step: -1}, {far: "parts", near: "parts", step: 1}},
			{{far: "a.b", near: "c d", step: 0}},
		}},
		{"what only one side has", `size>!size,size@v1=#0 >share^share`, []planStep{{
			{far: "size", step: -1, down: []planKey{{key: "size"}, {key: "size@v1", written: true, way: []int{0}}}},
			{near: "share", step: -1, up: []planKey{{key: "share"}}},
		}}},
		{"old keys of what both have", `a>b^a!b`, []planStep{{{far: "a", near: "b", step: -1, up: []planKey{{key: "a"}}, down: []planKey{{key: "b"}}}}}},
		{"additional members", `*>!more`, []planStep{{{far: "*", step: -1, down: []planKey{{key: "more"}}}}}},
		{"a way of two steps", `a>!k#1#0;`, []planStep{{{far: "a", step: -1, down: []planKey{{key: "k", way: []int{1, 0}}}}}, nil}},
	} {
		got, err := parseSteps(test.text)
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(planMove{}, planKey{})); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", test.reason, err, diff)
		}
	}
}

func TestStepsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"a#1":     "no such step",
		"a>!k#2;": "no such step",
		"a^":      "cannot read",
		"a  b":    "cannot read",
		"a>b c>":  "", // a member that goes nowhere
		"#0":      "cannot read",
		"a#x":     "cannot read",
		"a#0!,":   "cannot read",
	} {
		_, err := parseSteps(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
