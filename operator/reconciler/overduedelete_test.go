package reconciler_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/annotation"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// deletion begins a delete that runs for more than a day. The claim is that of an earlier
// release, without the UID of the resource.
func deletion(w *world, prepare func(*world)) {
	w.Helper()
	prepare(w)
	made(w)
	w.annotate("Person", "ada", annotation.Claim, fmt.Sprintf(`{"uid":"uid-of-ada","id":%q,"key":%[1]q}`, ada))
	w.restart()
	w.cloud.Slow(1_000_000, false)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if m := w.recorded("Person", "ada"); m.Operation == nil || m.Operation.Aim != annotation.ToDelete || m.ResourceUID != "" {
		w.Fatalf("it remembers %+v", m)
	}
	w.cloud.Slow(0, false)
	w.cloud.Forget()
}

// ending is a way in which the operation of a delete becomes unknown.
type ending struct {
	later time.Duration
	fails map[string]v2.Reason
}

var endings = map[string]ending{
	"it is overdue": {25 * time.Hour, map[string]v2.Reason{}},
	"it is lost":    {0, map[string]v2.Reason{"Poll": v2.Reason_REASON_NOT_FOUND}},
}

// ends makes the operation unknown. The process that learns this may end before it can observe
// the resource.
func (w *world) ends(as ending, restarts bool) {
	w.Helper()
	w.later = as.later
	w.failsAll(as.fails)
	if !restarts {
		return
	}
	both := maps.Clone(as.fails)
	both["Observe"] = v2.Reason_REASON_TRANSIENT
	w.failsAll(both)
	w.pass("Person", "ada")
	w.failsAll(as.fails)
	w.restart()
}

// passes makes passes over ada, eleven seconds apart, until the object is gone.
func (w *world) passes(most int) {
	w.Helper()
	for range most {
		if w.isGone("Person", "ada") {
			return
		}
		w.pass("Person", "ada")
		w.later += 11 * time.Second
	}
}

// TestUnknownDeleteKnowsUID covers a delete that took effect, and whose stored operation
// alone has the UID. The operator does not touch a resource that another client creates then.
func TestUnknownDeleteKnowsUID(t *testing.T) {
	for ending, as := range endings {
		for _, untagged := range []bool{true, false} {
			for _, restarts := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, untagged %t, restarts %t", ending, untagged, restarts), func(t *testing.T) {
					w := newWorld(t)
					deletion(w, func(w *world) {
						if untagged {
							w.cloud.Untagged()
						}
					})
					w.ends(as, restarts)
					w.cloud.Remove(ada)
					w.cloud.Put(ada, byron)
					w.passes(8)
					w.isByron(ada)
					if n := len(w.cloud.Calls("Delete")); n > 0 || !w.isGone("Person", "ada") {
						t.Errorf("it was deleted %d times, and the object is gone %t", n, w.isGone("Person", "ada"))
					}
				})
			}
		}
	}
}

// TestUnknownDeleteKnowsEntityTag covers a resource with another entity tag after a delete
// that is lost or runs for days. It may belong to the object or to another client: only the user
// can decide. The operator deletes a resource with the same entity tag again.
func TestUnknownDeleteKnowsEntityTag(t *testing.T) {
	for ending, as := range endings {
		for _, restarts := range []bool{true, false} {
			for decision, decide := range map[string]func(*world){
				"delete":  func(w *world) { w.annotate("Person", "ada", annotation.Adopt, "true") },
				"leave":   func(w *world) { w.annotate("Person", "ada", annotation.ReconcilePolicy, string(annotation.Detach)) },
				"nothing": nil,
			} {
				t.Run(fmt.Sprintf("%s, restarts %t, %s", ending, restarts, decision), func(t *testing.T) {
					w := newWorld(t)
					deletion(w, func(w *world) { w.cloud.Tagged() })
					if w.ends(as, restarts); decide == nil {
						w.passes(3)
						if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
							t.Errorf("the same resource is there, and outside are %v", w.cloud.IDs())
						}
						return
					}
					w.cloud.Remove(ada)
					w.cloud.Put(ada, byron)
					w.passes(8)
					w.isByron(ada)
					if n := len(w.cloud.Calls("Delete")); n > 0 {
						t.Errorf("it was deleted %d times", n)
					}
					w.wants("Person", "ada", "False", reconciler.Exists)
					decide(w)
					w.passes(3)
					if isLeft := w.cloud.Get(ada) != nil; !w.isGone("Person", "ada") || isLeft != (decision == "leave") {
						t.Errorf("the object is gone %t, the resource is left %t", w.isGone("Person", "ada"), isLeft)
					}
				})
			}
		}
	}
}

// TestLookMissesAfterUnknownDelete covers a lost delete, a resource that remains, and a next
// observation that misses it. The object stays until the resource no longer exists.
func TestLookMissesAfterUnknownDelete(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.cloud.Slow(1_000_000, false)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	w.cloud.Slow(0, false)
	w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_NOT_FOUND})
	w.cloud.Stale(1)
	w.pass("Person", "ada")
	if w.isGone("Person", "ada") {
		t.Fatalf("the object is gone, and outside are %v", w.cloud.IDs())
	}
	w.passes(3)
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
		t.Errorf("the object is gone %t, outside are %v", w.isGone("Person", "ada"), w.cloud.IDs())
	}
}

// TestFailedDeleteKnowsUID covers a failed delete whose stored operation alone has the UID.
// The operator does not touch the resource of another client that then replaces the old one.
func TestFailedDeleteKnowsUID(t *testing.T) {
	w := newWorld(t)
	deletion(w, (*world).untagged)
	w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_INVALID})
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.restart()
	w.cloud.Remove(ada)
	w.cloud.Put(ada, byron)
	w.passes(8)
	w.isByron(ada)
	if n := len(w.cloud.Calls("Delete")); n > 0 || !w.isGone("Person", "ada") {
		t.Errorf("it was deleted %d times, and the object is gone %t", n, w.isGone("Person", "ada"))
	}
}

func (w *world) untagged() { w.cloud.Untagged() }

// TestEachOperationHasItsPolls makes polls of a change fail until it is lost, and then one poll
// of the next change. The operator still follows that one.
func TestEachOperationHasItsPolls(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.cloud.Slow(1_000_000, false)
	w.edit("Person", "ada", elsewhere)
	w.pass("Person", "ada")
	w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_TRANSIENT})
	first := w.recorded("Person", "ada").Operation
	for range 5 {
		w.pass("Person", "ada")
	}
	w.pass("Person", "ada") // applies the resource again
	next := w.recorded("Person", "ada").Operation
	if first == nil || next == nil || next.Handle == first.Handle {
		t.Fatalf("it follows %+v, and before %+v", next, first)
	}
	w.pass("Person", "ada")
	if now := w.recorded("Person", "ada").Operation; now == nil || now.Handle != next.Handle {
		t.Errorf("one poll has failed, and it follows %+v", now)
	}
}
