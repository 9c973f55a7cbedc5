package convert

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSidesOfMoves checks that a name applies to both sides. A member of one side alone has its
// name as its key, if no other is listed.
func TestSidesOfMoves(t *testing.T) {
	type sides struct {
		Src, Dst    string
		Taken, Stow []Key
	}
	key, written := []Key{{Name: "k"}}, []Key{{Name: "k"}, {Name: "l", Written: true}}
	for _, test := range []struct {
		reason   string
		move     Move
		up, down sides
	}{
		{"both sides", Move{Name: "a"}, sides{Src: "a", Dst: "a"}, sides{Src: "a", Dst: "a"}},
		{"a rename", Move{Far: "a", Near: "b"}, sides{Src: "a", Dst: "b"}, sides{Src: "b", Dst: "a"}},
		{"the version alone", Move{Far: "a"}, sides{Src: "a", Stow: []Key{{Name: "a"}}}, sides{Dst: "a", Taken: []Key{{Name: "a"}}}},
		{"the version alone, under other keys", Move{Far: "a", Down: written}, sides{Src: "a", Stow: written}, sides{Dst: "a", Taken: written}},
		{"the hub alone", Move{Near: "a"}, sides{Dst: "a", Taken: []Key{{Name: "a"}}}, sides{Src: "a", Stow: []Key{{Name: "a"}}}},
		{"the hub alone, under another key", Move{Near: "a", Up: key}, sides{Dst: "a", Taken: key}, sides{Src: "a", Stow: key}},
		{"old keys of both sides", Move{Name: "a", Up: key, Down: written}, sides{"a", "a", key, written}, sides{"a", "a", written, key}},
	} {
		for _, up := range []bool{true, false} {
			var got sides
			got.Src, got.Dst, got.Taken, got.Stow = test.move.sides(up)
			want := test.up
			if !up {
				want = test.down
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, up %t:\n%s", test.reason, up, diff)
			}
		}
	}
}

func TestPlansThatReferToNoStep(t *testing.T) {
	one, second := []Key{{Name: "k", Steps: []int{1}}}, []Key{{Name: "j"}, {Name: "k", Steps: []int{1, 2}}}
	for _, test := range []struct {
		reason string
		plan   Plan
		want   string // of the error; empty for none
	}{
		{"no steps", Plan{}, ""},
		{"all steps are there", Plan{Steps: []Step{{{Name: "a", Step: 1}, {Far: "b", Down: one}, {Near: "c", Up: one}}, nil}, StatusStep: 1}, ""},
		{"a member", Plan{Steps: []Step{{{Name: "a", Step: 1}}}}, "there is no step 1 for a"},
		{"a member of the version", Plan{Steps: []Step{{{Far: "a", Near: "b", Step: 2}}, nil}}, "step 0: there is no step 2 for a"},
		{"a member of the hub", Plan{Steps: []Step{nil, {{Near: "b", Step: -1}}}}, "step 1: there is no step -1 for b"},
		{"a key of the version", Plan{Steps: []Step{{{Far: "a", Down: one}}}}, "no step 1 for the key k"},
		{"a key of the hub, behind others", Plan{Steps: []Step{{{Near: "a", Up: second}}, nil}}, "no step 2 for the key k"},
		{"a key by the first step", Plan{Steps: []Step{{{Near: "a", Up: []Key{{Name: "k", Steps: []int{0}}}}}}}, "no step 0 for the key k"},
		{"the status", Plan{Steps: make([]Step, 2), StatusStep: 2}, "no step 2 for the status"},
		{"no name", Plan{Steps: []Step{{{Up: one}}, nil}}, "no name"},
		{"two names", Plan{Steps: []Step{{{Name: "a", Near: "b"}}}}, "or several"},
	} {
		err := test.plan.check()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.reason, err, test.want)
		}
	}
}
