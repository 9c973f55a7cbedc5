package reconciler_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestEditWhileChangeGoesOn covers a resource in a state that counts as a running change of
// this operator, such as Pending of a private endpoint connection. The operator sends an edit
// that would end that state.
func TestEditWhileChangeGoesOn(t *testing.T) {
	w := newWorld(t)
	w.cloud.Shows(true)
	w.cloud.Slow(1_000_000, false)
	made(w)
	w.edit("Person", "ada", elsewhere)
	for range 100 {
		w.later += time.Hour
		w.pass("Person", "ada")
	}
	if n := len(w.cloud.Calls("Apply")); n < 2 {
		t.Errorf("after %v the edit was not sent: %+v", w.later, w.condition("Person", "ada", reconciler.Ready))
	}
}

// pending begins a change of the object that never ends, while the resource is visible, like a
// private endpoint connection that awaits its approval.
func pending(t *testing.T) *world {
	w := newWorld(t)
	made(w)
	w.cloud.Slow(1_000_000, false)
	w.edit("Person", "ada", elsewhere)
	w.pass("Person", "ada")
	w.isOut(func(r *fakeprovider.Resource) {
		r.Body, r.LastChange = []byte(w.cloud.Calls("Apply")[1].Body), v1.Change_CHANGE_RUNNING
	})
	w.cloud.Forget()
	return w
}

// TestOperationThatNeverEnds covers a change of the object that never ends. The operator
// follows it for a day. After that it treats the resource like one that another client changes,
// and applies nothing again.
func TestOperationThatNeverEnds(t *testing.T) {
	w := pending(t)
	for w.later < 23*time.Hour {
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.Updating)
		if message, isLong := w.condition("Person", "ada", reconciler.Ready).Message, w.later >= time.Hour; strings.Contains(message, "24 hours") != isLong {
			t.Errorf("after %v it says %q", w.later, message)
		}
		w.later += 31 * time.Minute
	}
	w.later = 25 * time.Hour
	w.pass("Person", "ada")
	w.cloud.Forget()
	for range 3 {
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.NotProvisioned)
		w.later += time.Hour
	}
	if polls, changes := len(w.cloud.Calls("Poll")), len(w.mutations()); polls > 0 || changes > 0 {
		t.Errorf("after a day it was polled %d times, and changed %d times", polls, changes)
	}
	w.isOut(func(r *fakeprovider.Resource) { r.LastChange = v1.Change_CHANGE_SUCCEEDED })
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestObjectsThatAwaitOperation edits or deletes the object while its change never ends. The edit
// or the deletion waits for an hour.
func TestObjectsThatAwaitOperation(t *testing.T) {
	for method, begins := range map[string]func(*world){
		"Apply": func(w *world) {
			w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
		},
		"Delete": func(w *world) { w.delete("Person", "ada") },
	} {
		w := pending(t)
		begins(w)
		for ; w.later < 90*time.Minute; w.later += 10 * time.Minute {
			w.pass("Person", "ada")
			if isDone := len(w.cloud.Calls(method)) > 0; isDone != (w.later >= time.Hour) {
				t.Errorf("%s after %v: %t", method, w.later, isDone)
			}
		}
		if n := len(w.cloud.Calls(method)); n != 1 {
			t.Errorf("%s: %d calls", method, n)
		}
	}
}

// TestOperationOfFuture covers an operation whose begin is in the future, by a wrong clock,
// or is missing, by an earlier release. The operator follows it from now on.
func TestOperationOfFuture(t *testing.T) {
	for _, at := range []string{"", "2100-01-01T00:00:00Z"} {
		w := pending(t)
		text := `{"handle":"` + w.recorded("Person", "ada").Operation.Handle + `","aim":"apply"`
		if at != "" {
			text += `,"began":"` + at + `"`
		}
		w.annotate("Person", "ada", annotation.Operation, text+"}")
		w.pass("Person", "ada")
		if began := w.recorded("Person", "ada").Operation.Began; began.IsZero() || began.After(w.now()) {
			t.Errorf("it began at %v", began)
		}
	}
}
