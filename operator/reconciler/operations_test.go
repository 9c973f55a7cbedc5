package reconciler_test

import (
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestPolls is a table over results of the poll of a create, and whether the operator still
// follows the operation.
func TestPolls(t *testing.T) {
	for _, test := range []struct {
		reason  string
		fail    error
		passes  int
		follows bool
		want    string
	}{
		{"it goes on", nil, 5, true, reconciler.Creating},
		{"it has failed", fakeprovider.Fail(v2.Reason_REASON_INVALID, "no", 0), 1, false, "Invalid"},
		{"it was cancelled", fakeprovider.Fail(v2.Reason_REASON_CONFLICT, "no", 0), 1, false, "Conflict"},
		{"nobody knows it", fakeprovider.Fail(v2.Reason_REASON_NOT_FOUND, "no", 0), 1, false, reconciler.Creating}, // another one has begun
		{"a few polls fail", fakeprovider.Fail(v2.Reason_REASON_TRANSIENT, "no", 0), 4, true, "Failed"},
		{"many polls fail", fakeprovider.Fail(v2.Reason_REASON_TRANSIENT, "no", 0), 5, false, "Failed"},
		{"many polls fail for no reason", errors.New("no"), 5, false, "Failed"},
		{"polls are refused", fakeprovider.Fail(v2.Reason_REASON_UNAUTHORIZED, "no", 0), 9, true, "Unauthorized"},
		{"polls are throttled", fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "no", 0), 9, true, "Throttled"},
		{"polls are not made, since the API wishes so", fakeprovider.Fail(v2.Reason_REASON_THROTTLED, "no", time.Hour), 9, true, "Throttled"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.cloud.Slow(100, false)
			w.object("Person", "ada", person())
			w.pass("Person", "ada")
			begun := w.recorded("Person", "ada").Operation
			if begun == nil || begun.Aim != annotation.ToApply {
				t.Fatalf("the operation is %+v", begun)
			}
			w.cloud.Before(func(c fakeprovider.Call) error {
				if c.Verb == "Poll" {
					return test.fail
				}
				return nil
			})
			for range test.passes {
				w.pass("Person", "ada")
			}
			m := w.recorded("Person", "ada")
			if follows := m.Operation != nil && m.Operation.Handle == begun.Handle; follows != test.follows {
				t.Errorf("it follows the operation: %t", follows)
			}
			w.wants("Person", "ada", "False", test.want)
		})
	}
}

// TestPollsThatFailInRow makes single polls fail, which does not end the operation.
func TestPollsThatFailInRow(t *testing.T) {
	w := newWorld(t)
	w.cloud.Slow(100, false)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	for i := range 12 {
		w.cloud.Before(nil)
		if i%4 > 0 {
			w.cloud.Before(failing("Poll", v2.Reason_REASON_TRANSIENT))
		}
		w.pass("Person", "ada")
		if w.recorded("Person", "ada").Operation == nil {
			t.Fatalf("after pass %d the operation is forgotten", i)
		}
	}
}

// TestMissingPluginDoesNotEndOperation makes the plugin unavailable for a long time.
func TestMissingPluginDoesNotEndOperation(t *testing.T) {
	w := newWorld(t)
	w.cloud.Slow(100, false)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.provider = "strata.dev/nobody"
	w.restart()
	for range 9 {
		w.pass("Person", "ada")
	}
	if w.recorded("Person", "ada").Operation == nil {
		t.Error("the operation is forgotten")
	}
}

// TestOperationOfEarlierSpec changes the spec while an operation runs. The spec that the
// operation applied then differs from the object.
func TestOperationOfEarlierSpec(t *testing.T) {
	w := newWorld(t)
	w.cloud.Slow(1, false)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
	w.cloud.Slow(0, false)
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if n := len(w.cloud.Calls("Apply")); n != 2 || w.cloud.Creates(ada) != 1 {
		t.Errorf("there were %d applies and %d creates", n, w.cloud.Creates(ada))
	}
}

// TestOperationThatLeavesNothing covers an operation that succeeds without leaving a resource.
func TestOperationThatLeavesNothing(t *testing.T) {
	w := newWorld(t)
	w.cloud.Slow(1, false)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.pass("Person", "ada") // ends it
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
	w.pass("Person", "ada") // begins a change
	w.cloud.Slow(0, false)
	w.cloud.After(func(c fakeprovider.Call) error {
		if c.Verb == "Poll" {
			return fakeprovider.Fail(v2.Reason_REASON_NOT_FOUND, "no such operation any more", 0)
		}
		return nil
	})
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if m := w.recorded("Person", "ada"); m.Operation != nil || m.ID != ada {
		t.Errorf("it remembers %+v", m)
	}
}

// TestCancelling is a table over operations whose object is deleted.
func TestCancelling(t *testing.T) {
	for _, test := range []struct {
		reason    string
		canCancel bool
		fail      error
		passes    int
		cancels   int
		isGone    bool
	}{
		{"an operation that can be cancelled is cancelled once", true, nil, 4, 1, true},
		{"one that cannot goes on", false, nil, 3, 0, false},
		{"a cancel that fails is not tried again", true, fakeprovider.Fail(v2.Reason_REASON_INVALID, "no", 0), 3, 1, false},
		{"not even for a while", true, fakeprovider.Fail(v2.Reason_REASON_TRANSIENT, "no", 0), 3, 1, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.cloud.Slow(100, test.canCancel)
			w.object("Person", "ada", person())
			w.pass("Person", "ada")
			w.delete("Person", "ada")
			w.cloud.Before(func(c fakeprovider.Call) error {
				if c.Verb == "Cancel" {
					return test.fail
				}
				return nil
			})
			for range test.passes {
				w.pass("Person", "ada")
				w.later += 11 * time.Second
			}
			if n := len(w.cloud.Calls("Cancel")); n != test.cancels || w.isGone("Person", "ada") != test.isGone {
				t.Errorf("it was cancelled %d times, and the object is gone: %t", n, w.isGone("Person", "ada"))
			}
			if !test.isGone {
				w.wants("Person", "ada", "False", reconciler.Deleting)
				if m := w.recorded("Person", "ada"); m.Operation == nil || m.Operation.Cancelled != test.canCancel {
					t.Errorf("it remembers %+v", m.Operation)
				}
			}
		})
	}
}

// TestDeleteIsNotCancelled follows the deletion of a resource to its end.
func TestDeleteIsNotCancelled(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.cloud.Slow(3, true)
	w.delete("Person", "ada")
	for range 3 {
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.Deleting)
	}
	w.pass("Person", "ada")
	if len(w.cloud.Calls("Cancel")) > 0 || len(w.cloud.Calls("Delete")) != 1 || !w.isGone("Person", "ada") {
		t.Errorf("it made the calls %+v", w.cloud.Calls(""))
	}
}

// TestDeleteThatFails makes the operation of a delete fail. The operator deletes the resource
// again, and the object stays until then.
func TestDeleteThatFails(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.cloud.Slow(9, false)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	w.cloud.Before(failing("Poll", v2.Reason_REASON_INVALID))
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "Invalid")
	if w.isGone("Person", "ada") || w.recorded("Person", "ada").Operation != nil {
		t.Errorf("it remembers %+v", w.recorded("Person", "ada"))
	}
	w.cloud.Before(nil)
	w.cloud.Slow(0, false)
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil || len(w.cloud.Calls("Delete")) != 2 {
		t.Errorf("it made the calls %+v", w.cloud.Calls(""))
	}
}

// TestDeleteThatLeavesResource covers an API that reports the deletion of a resource, and
// still returns it.
func TestDeleteThatLeavesResource(t *testing.T) {
	w := newWorld(t)
	made(w)
	there := *w.cloud.Get(ada)
	w.delete("Person", "ada")
	w.cloud.Meanwhile("Delete", func() { w.cloud.Put(ada, there) })
	w.pass("Person", "ada")
	if w.isGone("Person", "ada") {
		t.Fatal("the object is gone, and its resource is there")
	}
	w.wants("Person", "ada", "False", reconciler.Deleting)
	w.cloud.Meanwhile("Delete", nil)
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
		t.Error("it should be gone by now")
	}
}

// TestCallsThatAnswerNothing covers an API whose changes return no observation. The operator
// observes the resource itself.
func TestCallsThatAnswerNothing(t *testing.T) {
	for _, test := range []struct {
		reason, want, message string
		then                  func(*world) // after the resource was created
		creates               int
	}{
		{"it is there", "", "", nil, 1},
		{"nobody can look", "Failed", "no", func(w *world) { w.cloud.Before(failing("Observe", v2.Reason_REASON_TRANSIENT)) }, 1},
		{"it is not there", "Failed", "the resource was applied, and is not there", func(w *world) { w.cloud.Remove(ada) }, 2},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.cloud.Quiet()
			w.cloud.Meanwhile("Apply", func() {
				if test.then != nil {
					test.then(w)
				}
			})
			made(w)
			if test.want != "" {
				w.wants("Person", "ada", "False", test.want)
				if c := w.condition("Person", "ada", reconciler.Ready); c.Message != test.message {
					t.Errorf("it says %q", c.Message)
				}
				w.cloud.Meanwhile("Apply", nil)
				w.cloud.Before(nil)
				w.pass("Person", "ada")
			}
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			if n := w.cloud.Creates(ada); n != test.creates {
				t.Errorf("it was made %d times", n)
			}
			if status, _, _ := unstructured.NestedString(w.get("Person", "ada").Object, "status", "location"); status != "westeurope" {
				t.Errorf("the status is %v", w.get("Person", "ada").Object["status"])
			}
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
				t.Errorf("outside are %v", w.cloud.IDs())
			}
		})
	}
}
