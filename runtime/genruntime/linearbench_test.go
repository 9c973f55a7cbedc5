package genruntime_test

import (
	"fmt"
	goruntime "runtime"
	"testing"

	"github.com/stratakube/strata/runtime/internal/linear"
)

// BenchmarkAdditionalMembers moves them into property bags and back, in sizes at which the
// processor's caches are too small.
func BenchmarkAdditionalMembers(b *testing.B) {
	for _, test := range movingMembers {
		for _, n := range []int{75_000, 150_000, 300_000} {
			b.Run(fmt.Sprintf("%s/%d", test.name, n), func(b *testing.B) {
				goruntime.LockOSThread()
				defer goruntime.UnlockOSThread()
				before := linear.ProcessorTime()
				for b.Loop() {
					test.work(b, n)
				}
				b.ReportMetric(float64(linear.ProcessorTime()-before)/float64(b.N)/float64(n), "cpu-ns/member")
			})
		}
	}
}
