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

// TestLookMissesCreatedResource covers a failed create that leaves a resource, which the next
// observation misses. The resource belongs to the object, and is deleted with it.
func TestLookMissesCreatedResource(t *testing.T) {
	for _, polls := range []v2.Reason{v2.Reason_REASON_INVALID, v2.Reason_REASON_CONFLICT} {
		for _, deletes := range []bool{false, true} {
			w := newWorld(t)
			accepted(w, polls)
			sent := w.recorded("Person", "ada").Sent
			w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: sent.Version, Body: []byte(sent.Body)})
			w.cloud.Stale(1)
			if deletes {
				w.delete("Person", "ada")
			}
			w.pass("Person", "ada")
			w.cloud.Before(nil)
			if !deletes {
				for range 3 {
					w.later += 11 * time.Second
					w.pass("Person", "ada")
				}
				w.wants("Person", "ada", "True", reconciler.Succeeded)
				w.delete("Person", "ada")
			}
			for range 40 {
				if w.isGone("Person", "ada") {
					break
				}
				w.later += 11 * time.Second
				w.pass("Person", "ada")
			}
			if reported := w.reported(); !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
				t.Errorf("%v, deleting %t: the object is gone %t, outside are %v: %s", polls, deletes, w.isGone("Person", "ada"), w.cloud.IDs(), reported)
			}
		}
	}
}

// TestLookMissesResourceOfGoodCreate covers a create that succeeds without an observation, and
// a next observation that misses its resource.
func TestLookMissesResourceOfGoodCreate(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		for _, deletes := range []bool{false, true} {
			w := newWorld(t)
			w.cloud.Slow(1, false)
			w.cloud.Quiet()
			made(w)
			w.later = 20 * time.Minute
			w.cloud.Stale(1)
			if deletes {
				w.delete("Person", "ada")
			}
			w.pass("Person", "ada")
			if restarts {
				w.restart()
			}
			for range 3 {
				w.later += 11 * time.Second
				if !w.isGone("Person", "ada") {
					w.pass("Person", "ada")
				}
			}
			if !deletes {
				w.wants("Person", "ada", "True", reconciler.Succeeded)
				w.delete("Person", "ada")
				w.pass("Person", "ada")
				w.pass("Person", "ada") // the end of its operation
			}
			if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil || w.cloud.Creates(ada) != 1 {
				t.Errorf("restarts %t, deleting %t: the object is gone %t, outside are %v: %s", restarts, deletes, w.isGone("Person", "ada"), w.cloud.IDs(), w.reported())
			}
		}
	}
}

// TestResourcesThatAreFoundLate covers a failed create, an observation that finds nothing, and
// minutes without another one. The operator does not touch a resource that is there then: only the
// user can decide.
func TestResourcesThatAreFoundLate(t *testing.T) {
	for _, equals := range []bool{true, false} {
		for _, deletes := range []bool{true, false} {
			w := newWorld(t)
			accepted(w, v2.Reason_REASON_INVALID)
			sent := w.recorded("Person", "ada").Sent
			w.pass("Person", "ada")
			w.cloud.Before(nil)
			w.cloud.Forget()
			w.later = 5 * time.Minute
			late := byron
			if equals {
				late = fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: sent.Version, Body: []byte(sent.Body)}
			}
			w.cloud.Put(ada, late)
			if deletes {
				w.delete("Person", "ada")
			}
			w.pass("Person", "ada")
			if n := len(w.mutations()); n > 0 || w.cloud.Get(ada) == nil {
				t.Errorf("equal %t: it was changed %d times", equals, n)
			}
			if w.isGone("Person", "ada") {
				t.Fatalf("equal %t, deleting %t: the object is gone", equals, deletes)
			}
			w.wants("Person", "ada", "False", reconciler.Exists)
		}
	}
}

// TestFailedCreateIsLookedForSoon covers a create that fails and leaves nothing. The next
// observations are soon, and the operator creates nothing and changes no condition. It sends an
// edit at once.
func TestFailedCreateIsLookedForSoon(t *testing.T) {
	w := newWorld(t)
	accepted(w, v2.Reason_REASON_INVALID)
	result := w.pass("Person", "ada")
	was := w.condition("Person", "ada", reconciler.Ready)
	w.cloud.Forget()
	for passes := 0; result.RequeueAfter < 20*time.Second; passes++ {
		if passes > 3 {
			t.Fatal("it looks again and again")
		}
		w.later += result.RequeueAfter
		result = w.pass("Person", "ada")
		if is := w.condition("Person", "ada", reconciler.Ready); is != was {
			t.Errorf("it says %+v, and said %+v", is, was)
		}
	}
	if len(w.cloud.Calls("Observe")) < 2 || len(w.cloud.Calls("Apply")) > 0 {
		t.Errorf("it made the calls %+v", w.cloud.Calls(""))
	}
	w.edit("Person", "ada", elsewhere)
	w.pass("Person", "ada")
	if len(w.cloud.Calls("Apply")) != 1 {
		t.Error("the edit was not sent")
	}
}

// TestLongCreateIsMissed covers a create that takes minutes and succeeds. A new process deletes
// the object at once, and its observation misses the resource.
func TestLongCreateIsMissed(t *testing.T) {
	for _, hasEnded := range []bool{true, false} {
		w := newWorld(t)
		w.cloud.Slow(2, false)
		made(w)
		for range 2 {
			w.later += 5 * time.Minute
			if w.pass("Person", "ada"); !hasEnded {
				break
			}
		}
		if hasID := w.recorded("Person", "ada").ID != ""; hasID != hasEnded {
			t.Fatalf("it has the identifier %t", hasID)
		}
		w.restart()
		w.delete("Person", "ada")
		w.cloud.Stale(1)
		for range 8 {
			if !w.isGone("Person", "ada") {
				w.pass("Person", "ada")
				w.later += 5 * time.Second
			}
		}
		if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
			t.Errorf("ended %t: the object is gone %t, outside are %v", hasEnded, w.isGone("Person", "ada"), w.cloud.IDs())
		}
	}
}

// TestGoneIsReportedEachTime covers a resource that disappears, returns while nothing can be
// applied, and disappears again. An event reports each time.
func TestGoneIsReportedEachTime(t *testing.T) {
	for _, observes := range []bool{true, false} {
		w := newWorld(t)
		w.cloud.Nameless()
		made(w)
		was := *w.cloud.Get(ada)
		w.cloud.Before(applyFails(effect.None, v2.Reason_REASON_CONFLICT))
		w.cloud.Remove(ada)
		w.pass("Person", "ada")
		if !w.recorded("Person", "ada").Gone {
			t.Fatal("it does not remember that the resource is gone")
		}
		if w.cloud.Put(ada, was); observes {
			w.annotate("Person", "ada", annotation.ReconcilePolicy, string(annotation.Observe))
		} else {
			w.cloud.Put(ada, byron)
		}
		w.pass("Person", "ada")
		if w.recorded("Person", "ada").Gone {
			t.Errorf("observing %t: the resource is there, and it remembers that it is gone", observes)
		}
	}
}

// TestClockThatWasAhead covers a claim with a future time, from a machine with a wrong clock.
// Its deletion ends nevertheless.
func TestClockThatWasAhead(t *testing.T) {
	w := newWorld(t)
	w.later = 1000 * time.Hour
	made(w)
	w.later = 0
	w.restart()
	w.cloud.Remove(ada)
	w.delete("Person", "ada")
	for range 100 {
		if w.isGone("Person", "ada") {
			return
		}
		w.pass("Person", "ada")
		w.later += time.Minute
	}
	t.Errorf("after %v it says %+v", w.later, w.condition("Person", "ada", reconciler.Ready))
}

// TestClaimOfFuture covers a claim with times far in the future, from a user or a machine
// with a wrong clock. They neither hold up a deletion nor prove anything for ever.
func TestClaimOfFuture(t *testing.T) {
	for reason, deletes := range map[string]bool{"a deletion": true, "a resource of another client": false} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			w.later = 1000 * time.Hour
			accepted(w, v2.Reason_REASON_NOT_FOUND)
			sent := w.recorded("Person", "ada").Sent
			w.later = 0
			w.restart()
			w.cloud.Before(func(c fakeprovider.Call) error {
				if c.Verb == "Poll" {
					return fakeprovider.Fail(v2.Reason_REASON_NOT_FOUND, "no such operation", 0)
				}
				return nil
			})
			if deletes {
				w.delete("Person", "ada")
			} else {
				w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: sent.Version, Body: []byte(sent.Body)})
			}
			for range 10 {
				if w.isGone("Person", "ada") {
					return
				}
				w.pass("Person", "ada")
				w.later += time.Minute
			}
			if deletes {
				t.Errorf("after %v it says %+v", w.later, w.condition("Person", "ada", reconciler.Ready))
				return
			}
			w.wants("Person", "ada", "False", reconciler.Exists)
		})
	}
}

// TestToleranceOfFuture covers an external API that does not answer, and a condition whose
// time is in the future. The object does not stay Ready for longer because of that.
func TestToleranceOfFuture(t *testing.T) {
	w := newWorld(t)
	w.later = 10 * time.Minute
	made(w)
	w.cloud.Before(failing("Observe", v2.Reason_REASON_TRANSIENT))
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.later = 0
	w.restart()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "Failed")
}

func elsewhere(u *unstructured.Unstructured) {
	u.Object["spec"].(map[string]any)["location"] = "elsewhere"
	u.SetGeneration(2)
}
