package reconciler_test

import (
	"fmt"
	"testing"
	"time"
)

// TestManyChildrenElsewhereCostFewCalls covers a deletion that waits for many existing children
// of another namespace. One observed child is enough: the operator observes it every ten seconds,
// and no other.
func TestManyChildrenElsewhereCostFewCalls(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.secretThere("AZURE_ACCESS_TOKEN", "theirs")
	const children, passes = 30, 5
	for i := range children {
		spec := below(ada)
		spec["azureName"] = fmt.Sprint("n", i)
		w.there("PersonsNote", fmt.Sprint("n", i), spec)
		w.passThere("PersonsNote", fmt.Sprint("n", i))
	}
	w.delete("Person", "ada")
	w.cloud.Forget()
	for range passes {
		w.later += 11 * time.Second
		if after := w.pass("Person", "ada").RequeueAfter; after < 5*time.Second {
			t.Errorf("the next pass is after %v", after)
		}
		w.wants("Person", "ada", "False", "HasChildren")
	}
	if n := len(w.cloud.Calls("Observe")); n > 2*passes {
		t.Errorf("%d passes made %d looks at %d children", passes, n, children)
	}
	if calls := w.mutations(); len(calls) > 0 {
		t.Errorf("it made %v", calls)
	}
}
