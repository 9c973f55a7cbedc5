package parallel_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stratakube/strata/generator/internal/parallel"
)

func TestFor(t *testing.T) {
	for _, test := range []struct{ n, workers int }{{0, 4}, {1, 0}, {7, 1}, {1000, 8}, {3, 100}} {
		calls := make([]int, test.n)
		parallel.For(t.Context(), test.n, test.workers, func(i int) { calls[i]++ })
		if slices.ContainsFunc(calls, func(n int) bool { return n != 1 }) {
			t.Errorf("%d pieces, %d workers: calls %v", test.n, test.workers, calls)
		}
	}
}

// TestForEndsWithItsContext ends the context within a call: no worker begins another one.
func TestForEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	parallel.For(ctx, 1000, 1, func(i int) {
		if calls++; i == 2 {
			cancel()
		}
	})
	if calls != 3 {
		t.Errorf("%d calls, want 3", calls)
	}
}
