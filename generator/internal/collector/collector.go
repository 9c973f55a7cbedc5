package collector

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// percent is how much a small heap may grow between two collections.
	percent = 1000
	// free is the size of the heap up to which collections are rare.
	free = 700 << 20
	// least is how much a heap of any size may grow. Without it, a heap of about the size of free
	// would be collected again and again.
	least = 50
)

// Tune sets how much the heap may grow until the next collection, now and after each collection.
// It lets a heap grow fast up to 700 MiB, and by half beyond that. So the number of collections
// grows with the logarithm of the heap, and the heap never exceeds 1.5 times what is in use.
func Tune() {
	debug.SetGCPercent(percent)
	watch()
}

// watch adjusts the percentage after the next collection, and watches the one after it.
func watch() {
	sentinel := new([16]byte)
	runtime.SetFinalizer(sentinel, func(*[16]byte) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		debug.SetGCPercent(growth(sample[0].Value.Uint64()))
		watch()
	})
}

// growth returns the percentage by which a heap may grow of which some bytes are in use.
func growth(live uint64) int {
	if live == 0 {
		return percent
	}
	rest := (math.Max(float64(live), free) - float64(live)) / float64(live) * 100
	return int(min(max(rest, least), percent))
}
