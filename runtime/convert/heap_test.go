package convert

import (
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
)

// heapMeter observes the memory in use after each cycle of the garbage collector.
type heapMeter struct {
	sync.Mutex
	most   uint64
	cycles int
	ended  bool
}

// observe reads the memory in use after the last cycle, and waits for the next one.
func (m *heapMeter) observe() {
	m.Lock()
	defer m.Unlock()
	if m.ended {
		return
	}
	m.most = max(m.most, liveHeap())
	m.cycles++
	goruntime.SetFinalizer(new([16]byte), func(*[16]byte) { m.observe() })
}

// liveHeap returns the memory that the last cycle of the garbage collector has left.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// heapOf converts an object by a plan. It returns the result, which is nil if the plan refuses the
// object, and the most memory in use by the conversion and its result, for each byte of the object.
// A cycle of the garbage collector begins whenever the heap has grown by a hundredth.
func heapOf(t *testing.T, c *Converter, object []byte) (out []byte, most float64, cycles int) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	goruntime.GC()
	goruntime.GC() // the pools keep buffers for two collections
	before := liveHeap()
	m := &heapMeter{}
	m.observe()
	out, why := c.Append(t.Context(), nil, object)
	goruntime.GC()
	if why != Converted {
		out = nil
	}
	m.Lock()
	defer m.Unlock()
	m.ended = true
	t.Logf("%.1f bytes for each of %d, %d cycles, %s", (float64(m.most)-float64(before))/float64(len(object)), len(object), m.cycles, why)
	return out, (float64(m.most) - float64(before)) / float64(len(object)), m.cycles
}

// deepLists is a spec of n lists of 1,500 levels, each of which hides a value at the bottom.
func deepLists(n int) string {
	const depth = 1500
	one := strings.Repeat(`{"parts":[`, depth) + `{"$propertyBag":{"x":1}}` + strings.Repeat(`,{"color":"a"}]}`, depth)
	return `{"parts":[` + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + `]}`
}

// TestHeapOfPlans checks the most memory that a plan has in use, with the result, for each byte of
// an object that hides values. In lists within lists, the bags are several times as long as it.
func TestHeapOfPlans(t *testing.T) {
	const (
		size  = 800_000 // of an object of the hub: plans refuse longer ones that hide values
		least = 4       // cycles, without which the most is unknown
	)
	up, down := gadgetWays(t)
	for _, test := range slices.Concat(growingHidden, growingInPlans, []growingSpec{{"many deep lists", deepLists}}) {
		if strings.Contains(test.name, "lists in lists") || strings.Contains(test.name, "in objects") {
			continue // JSON is nested no deeper than 10,000, so that these are short
		}
		t.Run(test.name, func(t *testing.T) {
			object := []byte(gadgetHubHead + `,"spec":` + test.spec(50*size/len(test.spec(50))) + `}`)
			visible, heap, cycles := heapOf(t, down, object)
			if heap > lean || visible != nil && cycles < least {
				t.Errorf("the plan has %.1f bytes in use for each of %d, at most %d wanted (%d cycles)", heap, len(object), lean, cycles)
			}
			object = []byte(gadgetHubHead + `,"spec":` + test.spec(10*size/len(test.spec(50))) + `}`)
			if visible, _, _ = heapOf(t, down, object); visible == nil {
				t.Log("the plan refuses it")
				return
			}
			if back, heap, _ := heapOf(t, up, visible); back == nil || heap > lean {
				t.Errorf("on the way up, the plan has %.1f bytes in use for each of %d, at most %d wanted", heap, len(visible), lean)
			}
		})
	}
}
