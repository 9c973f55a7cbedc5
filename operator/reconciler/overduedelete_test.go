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

// deletion begins a delete that goes on for more than a day. The claim is that of an earlier
// release, which has no UID of the resource.
func deletion(w *world, prepare func(*world)) {
	w.Helper()
	prepare(w)
	made(w)
	w.note("Person", "ada", annotation.Claim, fmt.Sprintf(`{"uid":"uid-of-ada","id":%q,"key":%[1]q}`, ada))
	w.restart()
	w.cloud.Slow(1_000_000, false)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if m := w.marks("Person", "ada"); m.Operation == nil || m.Operation.Aim != annotation.ToDelete || m.ResourceUID != "" {
		w.Fatalf("it remembers %+v", m)
	}
	w.cloud.Slow(0, false)
	w.cloud.Forget()
}

// ending is how the operation of a delete becomes unknown.
type ending struct {
	later time.Duration
	fails map[string]v2.Reason
}

var endings = map[string]ending{
	"it is overdue": {25 * time.Hour, map[string]v2.Reason{}},
	"it is lost":    {0, map[string]v2.Reason{"Poll": v2.Reason_REASON_NOT_FOUND}},
}

// ends has the operation become unknown. The process that learns it may end before it can observe
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

// TestAnUnknownDeleteKnowsTheUID has another client make a resource after the delete of an object
// has taken effect, of which nothing but the operation stored the UID. It is left alone.
func TestAnUnknownDeleteKnowsTheUID(t *testing.T) {
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

// TestAnUnknownDeleteKnowsTheEntityTag has a resource with another entity tag be there after the
// delete of an object is lost, or while it goes on for days. It may be the object's, or that of
// another client: only the user can tell. One with the same entity tag is deleted again.
func TestAnUnknownDeleteKnowsTheEntityTag(t *testing.T) {
	for ending, as := range endings {
		for _, restarts := range []bool{true, false} {
			for decision, decide := range map[string]func(*world){
				"delete":  func(w *world) { w.note("Person", "ada", annotation.Adopt, "true") },
				"leave":   func(w *world) { w.note("Person", "ada", annotation.ReconcilePolicy, string(annotation.Detach)) },
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

// TestALookMissesAfterAnUnknownDelete has the operation of a delete be lost, the resource remain,
// and the observation that follows miss it. The object stays until the resource is gone.
func TestALookMissesAfterAnUnknownDelete(t *testing.T) {
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

// TestAFailedDeleteKnowsTheUID has the operation of a delete fail, of which nothing but the
// operation stored the UID, and another client then replace the resource. It is left alone.
func TestAFailedDeleteKnowsTheUID(t *testing.T) {
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

// TestEachOperationHasItsPolls has the polls of a change fail until it is lost, and one poll of the
// next change fail. The next one is followed.
func TestEachOperationHasItsPolls(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.cloud.Slow(1_000_000, false)
	w.edit("Person", "ada", elsewhere)
	w.pass("Person", "ada")
	w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_TRANSIENT})
	first := w.marks("Person", "ada").Operation
	for range 5 {
		w.pass("Person", "ada")
	}
	w.pass("Person", "ada") // applies it again
	next := w.marks("Person", "ada").Operation
	if first == nil || next == nil || next.Handle == first.Handle {
		t.Fatalf("it follows %+v, and before %+v", next, first)
	}
	w.pass("Person", "ada")
	if now := w.marks("Person", "ada").Operation; now == nil || now.Handle != next.Handle {
		t.Errorf("one poll has failed, and it follows %+v", now)
	}
}
