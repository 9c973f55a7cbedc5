package kindcli

import "testing"

// TestUsed checks how a host uses plugins of each age: no program of a test serves a kind that is
// newer than its project.
func TestUsed(t *testing.T) {
	for _, test := range []struct {
		versions []int
		newest   int
		want     string
	}{
		{[]int{1}, 0, "no: not a kind of this project"},
		{[]int{1}, 1, "as it is"},
		{[]int{1, 2, 3}, 2, "as it is"},
		{[]int{1, 3}, 2, "adapted to v2"},
		{[]int{1, 2}, 4, "adapted to v4"},
		{[]int{3}, 2, "no: newer than v2 of this project"},
		{[]int{3, 4}, 1, "no: newer than v1 of this project"},
	} {
		if got := (row{Versions: test.versions, Newest: test.newest}).used(); got != test.want {
			t.Errorf("%v in a project with v%d: %q, want %q", test.versions, test.newest, got, test.want)
		}
	}
}
