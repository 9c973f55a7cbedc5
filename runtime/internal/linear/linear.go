package linear

import (
	goruntime "runtime"
	"runtime/debug"
	"testing"
	"time"
)

// growth returns the ratio of the processor time for four times the input to that for the input.
// It takes the least time of several runs, because other work on the machine only adds to it. The
// ratio is about 4 for linear work, and 16 for quadratic work.
func growth(work func(n int), n int) float64 {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := func(n int) time.Duration {
		best := time.Duration(1 << 62)
		for range 3 {
			start := ProcessorTime()
			work(n)
			best = min(best, ProcessorTime()-start)
			goruntime.GC()
		}
		return best
	}
	return float64(least(4*n)) / float64(least(n))
}

// Check fails the test unless work takes time in proportion to its input.
func Check(t *testing.T, work func(n int), n int) {
	t.Helper()
	const tries, tooSteep = 4, 9
	var g float64
	for range tries {
		if g = growth(work, n); g < tooSteep {
			return
		}
	}
	t.Errorf("four times the input takes %.1f times as long", g)
}
