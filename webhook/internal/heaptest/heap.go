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
