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

// TestAnEditWhileAChangeGoesOn has a resource stay in a state that counts as a change of this
// operator which goes on, such as Pending of a private endpoint connection. An edit that would end
// that state is sent.
func TestAnEditWhileAChangeGoesOn(t *testing.T) {
	w := newWorld(t)
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

// pending has a change of the object go on for ever, and the resource be shown meanwhile, as a
// private endpoint connection is that awaits its approval.
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

// TestAnOperationThatNeverEnds has a change of the object go on for ever. It is followed for a day,
// and from then on the resource is looked at like one that another client changes. Nothing is
// applied again.
func TestAnOperationThatNeverEnds(t *testing.T) {
	w := pending(t)
	for w.later < 23*time.Hour {
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.Updating)
		if says, isLong := w.condition("Person", "ada", reconciler.Ready).Message, w.later >= time.Hour; strings.Contains(says, "24 hours") != isLong {
			t.Errorf("after %v it says %q", w.later, says)
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

// TestWhatAwaitsAnOperation has the object be edited or deleted while its change goes on for ever.
// That waits for an hour.
func TestWhatAwaitsAnOperation(t *testing.T) {
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

// TestAnOperationOfTheFuture has a machine whose clock is ahead begin an operation, or an earlier
// release, which did not store when. It is followed from now on.
func TestAnOperationOfTheFuture(t *testing.T) {
	for _, at := range []string{"", "2100-01-01T00:00:00Z"} {
		w := pending(t)
		text := `{"handle":"` + w.marks("Person", "ada").Operation.Handle + `","aim":"apply"`
		if at != "" {
			text += `,"began":"` + at + `"`
		}
		w.note("Person", "ada", annotation.Operation, text+"}")
		w.pass("Person", "ada")
		if began := w.marks("Person", "ada").Operation.Began; began.IsZero() || began.After(w.now()) {
			t.Errorf("it began at %v", began)
		}
	}
}
