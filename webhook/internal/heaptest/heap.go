package heaptest

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// InUse returns the most memory that work has in use after a garbage collection. Collections begin
// whenever the heap has grown by a fiftieth.
func InUse(work func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(2))
	runtime.GC()
	runtime.GC() // the pools keep buffers for two collections
	before := leftByCollector()
	done, most := make(chan struct{}), make(chan int64)
	go func() {
		found := int64(0)
		for {
			found = max(found, leftByCollector())
			select {
			case <-done:
				most <- found
				return
			case <-time.After(50 * time.Microsecond):
			}
		}
	}()
	work()
	runtime.GC()
	close(done)
	return <-most - before
}

// leftByCollector returns the memory that the last garbage collection has left.
func leftByCollector() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// attempts is how often Within measures.
const attempts = 5

// Within returns what [InUse] returns, or the least of several measurements if the first ones are
// above a limit. A collection counts as left what is allocated while it runs, which is much on a
// busy machine. Memory that is really in use is there each time.
func Within(limit int64, work func()) int64 {
	least := InUse(work)
	for range attempts - 1 {
		if least <= limit {
			break
		}
		least = min(least, InUse(work))
	}
	return least
}
