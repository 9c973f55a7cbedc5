package genruntime

import (
	"fmt"
	goruntime "runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkLinear converts specs of n, 2n and 4n members there and back, by Go types, and, where a plan does not refuse
// them, by plans. Time, and memory for each byte of the object, stay in proportion; peak-B/B is the most heap in use.
func BenchmarkLinear(b *testing.B) {
	for _, test := range growing {
		for _, n := range []int{5000, 10000, 20000} {
			data := []byte(`{` + apiHead + `,"spec":` + test.spec(n) + `}`)
			b.Run(fmt.Sprintf("types/%s/%d", test.name, n), func(b *testing.B) {
				measured(b, data, func() { thereAndBack(b, data) })
			})
		}
	}
	for _, test := range growingHidden {
		for _, n := range []int{5000, 10000, 20000} {
			data := []byte(`{` + storageHead + `,"spec":` + test.spec(n) + `}`)
			b.Run(fmt.Sprintf("types/%s/%d", test.name, n), func(b *testing.B) {
				measured(b, data, func() { storedOf(b, shownOf(b, storedIn(b, test.spec(n)))) })
			})
		}
	}
	up, down := gadgetWays(b)
	for _, test := range append(growing, growingHidden...) {
		for _, n := range []int{5000, 10000, 20000} {
			data := []byte(gadgetHubHead + `,"spec":` + test.spec(n) + `}`)
			b.Run(fmt.Sprintf("plans/%s/%d", test.name, n), func(b *testing.B) {
				measured(b, data, func() {
					if out, ok := down.Append(nil, data); ok {
						up.Append(nil, out)
					}
				})
			})
		}
	}
}

// BenchmarkAdditionalMembers moves them into property bags and back, in sizes at which the processor's caches are too small.
func BenchmarkAdditionalMembers(b *testing.B) {
	for _, test := range movingMembers {
		for _, n := range []int{75_000, 150_000, 300_000} {
			b.Run(fmt.Sprintf("%s/%d", test.name, n), func(b *testing.B) {
				goruntime.LockOSThread()
				defer goruntime.UnlockOSThread()
				before := processorTime()
				for b.Loop() {
					test.work(b, n)
				}
				b.ReportMetric(float64(processorTime()-before)/float64(b.N)/float64(n), "cpu-ns/member")
			})
		}
	}
}

// measured runs work, and reports the most heap that it had in use, for each byte of an object.
func measured(b *testing.B, object []byte, work func()) {
	b.SetBytes(int64(len(object)))
	b.ReportAllocs()
	before, peak, done := heapInUse(), atomic.Uint64{}, make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(100 * time.Microsecond):
				peak.Store(max(peak.Load(), heapInUse()))
			}
		}
	}()
	for b.Loop() {
		work()
	}
	close(done)
	b.ReportMetric(float64(peak.Load()-min(before, peak.Load()))/float64(len(object)), "peak-B/B")
}

func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
