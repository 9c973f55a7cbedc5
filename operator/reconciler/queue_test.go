package reconciler_test

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestNoObjectStarves has an object of the first list of a process wait in the queue of a
// controller, while others that were created since are always due. It gets its turn.
func TestNoObjectStarves(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	again, err := w.try("Person", "ada")
	if err != nil {
		t.Fatal(err)
	}
	w.writes = func(func() error) error { return errors.New("no") }
	w.edit("Person", "ada", elsewhere)
	fails, err := w.try("Person", "ada")
	if err == nil {
		t.Fatal("the write did not fail")
	}
	for _, result := range []reconcile.Result{again, fails} {
		queue := priorityqueue.New[reconcile.Request]("test")
		request := func(name string) reconcile.Request {
			return reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}
		}
		low, events := handler.LowPriority, 0
		queue.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, request("old"))
		queue.AddWithOpts(priorityqueue.AddOpts{Priority: &events}, request("new"), request("newer"))
		served := false
		for range 9 {
			next, priority, _ := queue.GetWithPriority()
			served = served || next.Name == "old"
			if result.Priority != nil { // as controllers do
				priority = *result.Priority
			}
			queue.Done(next)
			queue.AddWithOpts(priorityqueue.AddOpts{Priority: &priority}, next)
		}
		if !served {
			t.Error("it was not served, and others were again and again")
		}
		queue.ShutDown()
	}
}
