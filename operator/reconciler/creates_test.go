package reconciler_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// failsAll makes calls of methods fail.
func (w *world) failsAll(reasons map[string]v2.Reason) {
	w.cloud.Before(func(c fakeprovider.Call) error {
		if reason, fails := reasons[c.Verb]; fails {
			return fakeprovider.FailAfter(effect.None, reason, c.Verb+" fails")
		}
		return nil
	})
}

// accepted begins a create that runs, and whose polls then fail for a reason.
func accepted(w *world, polls v2.Reason) {
	w.Helper()
	w.cloud.Slow(100, false)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	if m := w.recorded("Person", "ada"); m.Operation == nil || m.Sent == nil || !m.Sent.Accepted {
		w.Fatalf("it remembers %+v", m)
	}
	w.cloud.Slow(0, false)
	w.failsAll(map[string]v2.Reason{"Poll": polls})
}

// leavesByron fails the test unless the object does not touch the resource of another client,
// even when it is deleted.
func (w *world) leavesByron() {
	w.Helper()
	w.pass("Person", "ada")
	w.isByron(ada)
	w.wants("Person", "ada", "False", reconciler.Exists)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	w.isByron(ada)
	if !w.isGone("Person", "ada") {
		w.Errorf("it is still there: %+v", w.condition("Person", "ada", reconciler.Ready))
	}
}

// TestFailedCreateProvesNothing covers an accepted create that fails, and an observation after it
// that finds nothing. Another client may have created a resource that appears, or the create may
// have left it: the operator does not touch it, and the user decides.
func TestFailedCreateProvesNothing(t *testing.T) {
	for reason, failure := range map[string]v2.Reason{"it has failed": v2.Reason_REASON_INVALID, "it was cancelled": v2.Reason_REASON_CONFLICT} {
		for _, restarts := range []bool{false, true} {
			t.Run(reason, func(t *testing.T) {
				w := newWorld(t)
				accepted(w, failure)
				w.pass("Person", "ada")
				if m := w.recorded("Person", "ada"); m.Operation != nil || m.Sent != nil && !m.Sent.Ended {
					t.Errorf("it remembers %+v", m)
				}
				w.cloud.Before(nil)
				w.cloud.Put(ada, byron)
				if restarts {
					w.restart()
				}
				w.pass("Person", "ada")
				w.wants("Person", "ada", "False", reconciler.Exists)
				w.staysInDoubt(reason)
				w.annotate("Person", "ada", annotation.ReconcilePolicy, string(annotation.Detach))
				w.pass("Person", "ada")
				if w.isByron(ada); !w.isGone("Person", "ada") {
					t.Errorf("it is still there: %+v", w.condition("Person", "ada", reconciler.Ready))
				}
			})
		}
	}
}

// TestFailedCreateIsFollowedUntilLook covers an observation that fails after a failed create.
// The claim keeps the operation until an observation succeeds.
func TestFailedCreateIsFollowedUntilLook(t *testing.T) {
	for _, deletes := range []bool{false, true} {
		w := newWorld(t)
		accepted(w, v2.Reason_REASON_INVALID)
		w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_INVALID, "Observe": v2.Reason_REASON_TRANSIENT})
		if deletes {
			w.delete("Person", "ada")
		}
		w.pass("Person", "ada")
		if m := w.recorded("Person", "ada"); m.Operation == nil {
			t.Fatalf("deleting %t: it remembers %+v", deletes, m)
		}
		w.cloud.Put(ada, byron) // the resource that the create has left
		w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_INVALID})
		w.restart()
		w.pass("Person", "ada")
		w.cloud.Before(nil)
		if !deletes {
			w.wants("Person", "ada", "False", "Invalid")
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			w.delete("Person", "ada")
			w.pass("Person", "ada")
		}
		if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
			t.Errorf("deleting %t: outside are %v", deletes, w.cloud.IDs())
		}
	}
}

// TestLostCreateIsNotForgotten covers a create that runs although its polls fail, and a next
// create that is throttled. The resource that appears belongs to the object.
func TestLostCreateIsNotForgotten(t *testing.T) {
	for reason, polls := range map[string]v2.Reason{"polls fail": v2.Reason_REASON_TRANSIENT, "nobody knows the operation": v2.Reason_REASON_NOT_FOUND} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			accepted(w, polls)
			sent := w.recorded("Person", "ada").Sent
			w.failsAll(map[string]v2.Reason{"Poll": polls, "Apply": v2.Reason_REASON_THROTTLED})
			for range 8 {
				w.pass("Person", "ada")
			}
			if m := w.recorded("Person", "ada"); !m.Owned || m.Operation != nil || m.Sent == nil {
				t.Errorf("it remembers %+v", m)
			}
			w.cloud.Before(nil)
			w.cloud.Put(ada, fakeprovider.Resource{Version: sent.Version, Body: []byte(sent.Body)})
			w.restart()
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			if w.cloud.Get(ada) != nil || !w.isGone("Person", "ada") {
				t.Errorf("the resource is lost: %s", w.reported())
			}
		})
	}
}

// TestLostCreateProvesSentSpec covers a lost create, and another client that creates a
// different resource.
func TestLostCreateProvesSentSpec(t *testing.T) {
	w := newWorld(t)
	accepted(w, v2.Reason_REASON_TRANSIENT)
	for range 5 {
		w.pass("Person", "ada")
	}
	w.cloud.Before(nil)
	w.cloud.Put(ada, byron)
	w.leavesByron()
}

// TestCreateIsBelievedFromItsLastPoll covers a create that runs for long, and whose operation is
// unknown in the end. After an absence, only the user can tell whose the resource is.
func TestCreateIsBelievedFromItsLastPoll(t *testing.T) {
	for reason, test := range map[string]struct {
		away  time.Duration // the time without a poll
		isOur bool
	}{"polled shortly before": {50 * time.Minute, true}, "the operator was away": {72 * time.Hour, false}} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			w.cloud.Slow(100, false)
			w.object("Person", "ada", person())
			for range 5 {
				w.pass("Person", "ada")
				w.later += 40 * time.Minute
			}
			w.later += test.away - 40*time.Minute
			w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_NOT_FOUND})
			w.cloud.Slow(0, false)
			w.cloud.Put(ada, byron)
			w.restart()
			if test.isOur {
				w.pass("Person", "ada")
				w.wants("Person", "ada", "True", reconciler.Succeeded)
				return
			}
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.Exists)
			w.delete("Person", "ada")
			w.passes(8)
			w.isByron(ada)
			w.wants("Person", "ada", "False", reconciler.Exists)
			w.annotate("Person", "ada", annotation.ReconcilePolicy, string(annotation.Detach))
			w.passes(1)
			if w.isByron(ada); !w.isGone("Person", "ada") {
				t.Errorf("it is still there: %s", w.reported())
			}
		})
	}
}

// TestPollsOfCreateWriteSeldom counts the writes of a create that is polled often.
func TestPollsOfCreateWriteSeldom(t *testing.T) {
	w := newWorld(t)
	w.cloud.Slow(100, false)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	w.made = 0
	for range 50 {
		w.later += time.Minute
		w.pass("Person", "ada")
	}
	if w.made < 1 || w.made > 4 {
		t.Errorf("there were %d writes in 50 minutes", w.made)
	}
}

// TestDeletionAwaitsCreate deletes an object while its create runs and polls fail. The object
// stays until the resource exists and is deleted, or until the create is no longer believed and
// observations of five minutes find nothing.
func TestDeletionAwaitsCreate(t *testing.T) {
	for _, comes := range []bool{true, false} {
		w := newWorld(t)
		accepted(w, v2.Reason_REASON_TRANSIENT)
		w.delete("Person", "ada")
		for range 12 {
			w.pass("Person", "ada")
		}
		if w.isGone("Person", "ada") {
			t.Fatal("the object is gone, and its create goes on")
		}
		if comes {
			w.cloud.Put(ada, byron) // as the create does in the end
		} else {
			w.later = 2 * time.Hour
		}
		w.passes(40)
		if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
			t.Errorf("it comes %t: outside are %v", comes, w.cloud.IDs())
		}
	}
}

// TestOperationOfEarlierRelease covers a claim without the sent request, but with the
// operation of the create. The resource at the end of the operation belongs to the object.
func TestOperationOfEarlierRelease(t *testing.T) {
	for _, fails := range []bool{false, true} {
		for _, deletes := range []bool{false, true} {
			w := newWorld(t)
			w.cloud.Slow(1, false)
			w.object("Person", "ada", person())
			w.pass("Person", "ada")
			w.edit("Person", "ada", func(u *unstructured.Unstructured) {
				annotations := u.GetAnnotations()
				annotations[annotation.Claim] = "uid-of-ada@holder"
				delete(annotations, annotation.Sent)
				u.SetAnnotations(annotations)
			})
			w.cloud.Slow(0, false)
			w.restart()
			if deletes {
				w.delete("Person", "ada")
			}
			if fails {
				w.cloud.Put(ada, byron) // the resource that the create has left
				w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_INVALID})
				w.pass("Person", "ada")
				w.cloud.Before(nil)
			}
			w.pass("Person", "ada")
			if !deletes {
				w.wants("Person", "ada", "True", reconciler.Succeeded)
				w.delete("Person", "ada")
				w.pass("Person", "ada")
			}
			if w.cloud.Get(ada) != nil || !w.isGone("Person", "ada") {
				t.Errorf("fails %t, deletes %t: outside are %v: %s", fails, deletes, w.cloud.IDs(), w.reported())
			}
		}
	}
}

// TestCreateThatFailedLongAgo has the operation of a create fail while no process polls it, and
// another client make a resource meanwhile. Only the user can tell whose it is: it is neither
// changed nor deleted, whatever its values are. If the operator was away for a moment only, what it
// finds belongs to the object.
func TestCreateThatFailedLongAgo(t *testing.T) {
	for _, away := range []time.Duration{time.Minute, 12 * time.Hour} {
		for _, equals := range []bool{true, false} {
			for _, deletes := range []bool{true, false} {
				w := newWorld(t)
				w.cloud.Slow(1_000_000, false)
				made(w)
				found := byron
				if sent := w.recorded("Person", "ada").Sent; equals {
					found = fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: sent.Version, Body: []byte(sent.Body)}
				}
				w.restart()
				w.later = away
				w.cloud.Put(ada, found)
				w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_INVALID})
				w.cloud.Slow(0, false)
				w.cloud.Forget()
				if deletes {
					w.delete("Person", "ada")
				}
				w.passes(5)
				if away < time.Hour {
					if deletes != w.isGone("Person", "ada") || deletes != (w.cloud.Get(ada) == nil) {
						t.Errorf("away for %v, equals %t, deletes %t: outside are %v", away, equals, deletes, w.cloud.IDs())
					}
					continue
				}
				if n := len(w.mutations()); n > 0 || w.isGone("Person", "ada") {
					t.Fatalf("away for %v, equals %t, deletes %t: %d calls change something", away, equals, deletes, n)
				}
				w.wants("Person", "ada", "False", reconciler.Exists)
				w.annotate("Person", "ada", annotation.Adopt, "true")
				w.passes(3)
				if deletes != w.isGone("Person", "ada") || deletes != (w.cloud.Get(ada) == nil) {
					t.Errorf("equals %t, deletes %t: the user adopts it, and outside are %v", equals, deletes, w.cloud.IDs())
				}
			}
		}
	}
}
