package reconciler_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/stratakube/strata/operator/reconciler"
)

// TestNoObjectStarves covers an object that waits in the queue of a controller while two others
// are always due. It is in the first list of a process, or its operation is polled. Its turn
// comes before any of the others has had two.
func TestNoObjectStarves(t *testing.T) {
	events, low := 0, handler.LowPriority
	for _, first := range []int{low, events} {
		queue := reconciler.NewQueue("test", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
		add := func(priority int, name string) {
			request := reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}
			if q, ok := queue.(priorityqueue.PriorityQueue[reconcile.Request]); ok { // as controllers do
				q.AddWithOpts(priorityqueue.AddOpts{Priority: &priority}, request)
				return
			}
			queue.Add(request)
		}
		add(first, "edited")
		add(first, "edited too")
		add(low, "waits")
		served := false
		for range 4 {
			next, _ := queue.Get()
			served = served || next.Name == "waits"
			queue.Done(next)
			add(events, next.Name) // it is edited again
		}
		if !served {
			t.Errorf("first priority %d: the object was not served, and others were again and again", first)
		}
		queue.ShutDown()
	}
}
