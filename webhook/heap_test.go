package webhook_test

import (
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/internal/example/crm"
)

// leftByCollector returns the memory that the last garbage collection has left.
func leftByCollector() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// heapOf returns the most memory that work has in use after a garbage collection. Collections
// begin whenever the heap has grown by a fiftieth.
func heapOf(work func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(2))
	goruntime.GC()
	goruntime.GC() // the pools keep buffers for two collections
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
	goruntime.GC()
	close(done)
	return <-most - before
}

// TestHeapOfWrongElements checks the memory that a review with a list of wrongly typed elements has
// in use, with its body and its answer. The plan refuses such objects, so that Go types convert
// them, in two steps.
func TestHeapOfWrongElements(t *testing.T) {
	const most = 16 // bytes for each byte of the object
	h := handlerOf(t, webhook.Options{}, crm.AddToScheme)
	for _, test := range []struct {
		element string
		sizes   []int
	}{
		{"1", []int{1 << 20, 8<<20 - 1<<10}},
		{`"a"`, []int{1 << 20, 8<<20 - 1<<10}},
		{"null", []int{1 << 20, 8<<20 - 1<<10}},
		{`[]`, []int{1 << 20}},
		{`{"share":"none"}`, []int{1 << 20}},
		{`{"role":[1,{}]}`, []int{1 << 20}},
		{`{"unknown":1}`, []int{1 << 20}},
		{`{"role":"a role"},{"role":2}`, []int{1 << 20}},
	} {
		for _, size := range test.sizes {
			t.Run(fmt.Sprintf("%d of %s", size, test.element), func(t *testing.T) {
				elements := strings.Repeat(test.element+",", size/(len(test.element)+1)-20)
				object := `{"apiVersion":"crm.example.com/v20150505","kind":"Party","metadata":{"name":"wrong"},"spec":{"properties":{"members":[` + elements + `7]}}}`
				body := reviewOf("crm.example.com/v20190909", object)
				status := ""
				heap := heapOf(func() { status = responseOf(t, send(h, body).Body.Bytes()).Result.Status })
				each := float64(heap) / float64(len(object))
				t.Logf("%.1f bytes for each of %d", each, len(object))
				if status != "Success" || each > most || each < 2 {
					t.Errorf("%s, with %.1f bytes in use for each of %d, at most %d wanted", status, each, len(object), most)
				}
			})
		}
	}
}
