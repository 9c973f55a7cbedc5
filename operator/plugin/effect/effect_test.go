package effect_test

import (
	"testing"

	"github.com/stratakube/strata/operator/plugin/effect"
	"github.com/stratakube/strata/operator/plugin/provider/v2"
)

// TestStatuses is the table of all statuses. A status that is in no row is possible, since its
// meaning is unknown.
func TestStatuses(t *testing.T) {
	want := map[int]v2.Effect{}
	for _, row := range []struct {
		reason   string
		effect   v2.Effect
		statuses []int
	}{
		{"a success took effect", effect.Certain, []int{200, 201, 202, 203, 204, 205, 206, 207, 208, 226}},
		{"a redirection that nobody followed changed nothing", effect.None, []int{301, 302, 304, 307, 308}},
		{"the answer lies elsewhere, and the request was processed", effect.Possible, []int{300, 303, 305, 306}},
		{"the request is wrong, or not allowed", effect.None, []int{400, 401, 402, 403, 404, 405, 407, 410, 411, 413, 414, 415, 416, 417, 421, 422, 426, 428, 431, 451}},
		{"a condition of the request does not hold", effect.None, []int{409, 412, 423}},
		{"the server is too busy to begin", effect.None, []int{425, 429}},
		{"a gateway gave up waiting, for the request or for what is behind it", effect.Possible, []int{408, 499, 502, 504}},
		{"the server failed at some point", effect.Possible, []int{500, 503, 506, 507, 508, 510}},
		{"the answer could not be given in the wanted form", effect.Possible, []int{406}},
		{"something else failed with it", effect.Possible, []int{424}},
		{"the server does not know how to begin", effect.None, []int{501, 505, 511}},
		{"no status that anybody has defined", effect.Possible, []int{0, 100, 102, 199, 299 + 1, 418, 430, 498, 520, 529, 599, 600, 999, -1}},
	} {
		for _, status := range row.statuses {
			want[status] = row.effect
			if got := effect.OfStatus(status); got != row.effect {
				t.Errorf("%d: %s: got %s, want %s", status, row.reason, got, row.effect)
			}
		}
	}
	for status := range 700 {
		if _, stands := want[status]; !stands && status/100 != 2 && effect.OfStatus(status) != effect.Possible {
			t.Errorf("%d stands in no row, and is %s", status, effect.OfStatus(status))
		}
	}
}

func TestSilence(t *testing.T) {
	if got := effect.OfSilence(false); got != effect.None {
		t.Errorf("a request that was not written has the effect %s", got)
	}
	if got := effect.OfSilence(true); got != effect.Possible {
		t.Errorf("a request that was written has the effect %s", got)
	}
}
