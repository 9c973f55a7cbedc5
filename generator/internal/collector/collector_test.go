package collector

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestGrowth(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct {
		live uint64
		want int
	}{
		{0, 1000},
		{4 * mib, 1000},
		{100 * mib, 600},
		{350 * mib, 100},
		{600 * mib, 50},
		{700 * mib, 50},
		{2000 * mib, 50},
	} {
		if got := growth(test.live); got != test.want {
			t.Errorf("growth(%d MiB) = %d, want %d", test.live/mib, got, test.want)
		}
	}
}

// TestTuneFollowsHeap keeps more in use than the heap may be without collections, and requires that
// the percentage follows.
func TestTuneFollowsHeap(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	Tune()
	var used [][]byte
	for range 8 {
		used = append(used, make([]byte, free/16))
		runtime.GC()
	}
	for range 100 { // the finalizer runs after the collection
		runtime.GC()
		if got := debug.SetGCPercent(percent); got <= 110 && got >= least {
			runtime.KeepAlive(used)
			return
		}
		runtime.Gosched()
	}
	t.Error("the percentage does not follow the heap")
}
