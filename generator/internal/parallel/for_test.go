package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
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

// TestTry returns the error of the smallest index that failed, and begins nothing after it.
func TestTry(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	calls := 0
	err := parallel.Try(t.Context(), 1000, 1, func(i int) error {
		calls++
		return map[int]error{3: first, 4: second}[i]
	})
	if !errors.Is(err, first) || calls != 4 {
		t.Errorf("%d calls, %v", calls, err)
	}
	var all sync.WaitGroup
	all.Add(2)
	err = parallel.Try(t.Context(), 2, 2, func(i int) error {
		all.Done()
		all.Wait() // both fail
		return []error{first, second}[i]
	})
	if !errors.Is(err, first) {
		t.Errorf("of two errors, %v", err)
	}
	for range 1000 {
		err := parallel.Try(t.Context(), 64, 8, func(i int) error {
			if i < 20 {
				return nil
			}
			runtime.Gosched() // larger indexes may fail first
			return fmt.Errorf("%d", i)
		})
		if err == nil || err.Error() != "20" {
			t.Fatalf("got the error of %v, want that of 20", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := parallel.Try(ctx, 0, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("without work, %v", err)
	}
}
