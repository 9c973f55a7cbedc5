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

// Try is [For] for work that can fail. After an error it begins no further call. It returns the
// error of the smallest index that failed, or else the error of the context.
func Try(ctx context.Context, n, workers int, work func(i int) error) error {
	errs := make([]error, n)
	var failed atomic.Bool
	For(ctx, n, workers, func(i int) {
		if failed.Load() {
			return
		}
		if errs[i] = work(i); errs[i] != nil {
			failed.Store(true)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
