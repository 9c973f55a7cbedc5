package reconciler_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/reconciler"
)

// worker makes passes over objects of one name, as one worker of a controller does: over a parent,
// and over a child of the next worker's parent.
type worker struct {
	*world
	name, next string
}

// passes makes passes over an object until a condition holds.
func (w worker) passes(kind string, is func() bool) {
	for end := time.Now().Add(time.Minute); !is(); {
		if time.Now().After(end) {
			w.Errorf("%s %s is not as wanted: %+v", kind, w.name, w.condition(kind, w.name, reconciler.Ready))
			return
		}
		_, _ = w.try(kind, w.name) // a conflict or a missing parent is tried again
	}
}

func (w worker) isReady(kind string) func() bool {
	return func() bool {
		c := w.condition(kind, w.name, reconciler.Ready)
		return c.Status == "True" && c.ObservedGeneration == w.get(kind, w.name).GetGeneration()
	}
}

// TestWorkers runs many workers that create, change and delete parents and children at the same
// time. They share the memory, the claims, the providers and the credentials of one operator.
func TestWorkers(t *testing.T) {
	const count = 6
	w := newWorld(t)
	w.secret("strata-credentials", "AZURE_TENANT_ID", "a")
	var workers []worker
	for i := range count {
		one := worker{w, fmt.Sprint("person", i), fmt.Sprint("person", (i+1)%count)}
		workers = append(workers, one)
		w.object("Person", one.name, person())
		w.object("PersonsNote", one.name, note(one.next))
	}
	together := func(do func(worker)) {
		var all sync.WaitGroup
		for _, one := range workers {
			all.Go(func() { do(one) })
		}
		all.Wait()
	}
	together(func(one worker) {
		one.passes("Person", one.isReady("Person"))
		one.passes("PersonsNote", one.isReady("PersonsNote"))
	})
	for _, one := range workers {
		w.edit("Person", one.name, func(u *unstructured.Unstructured) {
			u.SetGeneration(2)
			u.Object["spec"].(map[string]any)["location"] = "north"
		})
	}
	together(func(one worker) { one.passes("Person", one.isReady("Person")) })
	for _, one := range workers {
		w.delete("PersonsNote", one.name)
		w.delete("Person", one.name)
	}
	together(func(one worker) {
		one.passes("PersonsNote", func() bool { return w.isGone("PersonsNote", one.name) })
		one.passes("Person", func() bool { return w.isGone("Person", one.name) })
	})
	if left, twice := w.cloud.IDs(), w.cloud.Duplicates(); len(left) > 0 || len(twice) > 0 {
		t.Errorf("%q are left, and %v were created twice", left, twice)
	}
}
