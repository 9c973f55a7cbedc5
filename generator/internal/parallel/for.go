package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// For calls work for 0 to n-1, in any order, from the given number of goroutines, at least one. It
// returns after all calls. Once the context ends it begins no further call; the caller checks the
// context.
func For(ctx context.Context, n, workers int, work func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(max(workers, 1), n) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				work(int(i))
			}
		})
	}
	all.Wait()
}

// Try is [For] for work that can fail. It returns the error of the smallest index whose work fails,
// or else the error of the context. After an error it calls work for smaller indexes only.
func Try(ctx context.Context, n, workers int, work func(i int) error) error {
	var mu sync.Mutex
	var failed error
	var least atomic.Int64 // the smallest index that has failed
	least.Store(int64(n))
	For(ctx, n, workers, func(i int) {
		if int64(i) > least.Load() {
			return
		}
		err := work(i)
		if err == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if int64(i) < least.Load() {
			failed = err
			least.Store(int64(i))
		}
	})
	if failed != nil {
		return failed
	}
	return ctx.Err()
}
