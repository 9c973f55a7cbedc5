package parallel_test

import (
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
