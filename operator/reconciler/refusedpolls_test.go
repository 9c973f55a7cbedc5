package reconciler_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestRefusedPollsHoldUpNothing covers an operation whose polls are all refused. An edit or a
// deletion of the object waits no longer than for a running operation.
func TestRefusedPollsHoldUpNothing(t *testing.T) {
	for _, deletes := range []bool{false, true} {
		w := newWorld(t)
		made(w)
		w.cloud.Slow(1_000_000, false)
		w.edit("Person", "ada", elsewhere)
		w.pass("Person", "ada") // begins a change that never ends
		begun := len(w.mutations())
		w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_UNAUTHORIZED})
		if deletes {
			w.delete("Person", "ada")
		} else {
			w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
		}
		w.pass("Person", "ada")
		if n := len(w.mutations()) - begun; n > 0 {
			t.Errorf("deletes %t: %d calls at once", deletes, n)
		}
		w.later += 25 * time.Hour
		w.pass("Person", "ada")
		w.pass("Person", "ada")
		if n := len(w.mutations()) - begun; n == 0 {
			t.Errorf("deletes %t: no call after a day: %s", deletes, w.reported())
		}
	}
}

// TestRefusedPollsOfOperationWithoutTime has each poll of an operation be refused whose claim
// names no time, or one that is far ahead. It is followed for a day, and then no longer.
func TestRefusedPollsOfOperationWithoutTime(t *testing.T) {
	for _, began := range []string{"", `,"began":"2100-01-01T00:00:00Z"`} {
		for _, deletes := range []bool{true, false} {
			w := pending(t)
			handle := w.recorded("Person", "ada").Operation.Handle
			w.annotate("Person", "ada", annotation.Operation, `{"handle":"`+handle+`","aim":"apply"`+began+`}`)
			w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_UNAUTHORIZED})
			if deletes {
				w.delete("Person", "ada")
			}
			for w.later < 26*time.Hour {
				w.pass("Person", "ada")
				w.later += time.Hour
			}
			if o := w.recorded("Person", "ada").Operation; o != nil && o.Handle == handle {
				t.Errorf("deletes %t: it follows %+v", deletes, o)
			}
		}
	}
}

// TestRefusedPollEndsNothing has an operation go on for more than a day that only polls report.
// The credentials are refused for a while: the object is not Ready, and the operation is followed
// after that. It is followed no longer if only its polls are refused, and each one is.
func TestRefusedPollEndsNothing(t *testing.T) {
	unauthorized := v2.Reason_REASON_UNAUTHORIZED
	for _, create := range []bool{true, false} {
		w := newWorld(t)
		unreported(w, create)
		w.later = 30 * time.Hour
		w.pass("Person", "ada")
		for polls, fails := range map[int]map[string]v2.Reason{1: {"Poll": unauthorized}, 20: {"Poll": unauthorized, "Observe": unauthorized}} {
			w.failsAll(fails)
			for range polls {
				w.pass("Person", "ada")
				w.wants("Person", "ada", "False", "Unauthorized")
			}
			w.cloud.Before(nil)
			w.pass("Person", "ada")
			if c := w.condition("Person", "ada", reconciler.Ready); c.Status != "False" || w.recorded("Person", "ada").Operation == nil {
				t.Fatalf("create %t: after %d refused polls it is %+v", create, polls, c)
			}
		}
		w.failsAll(map[string]v2.Reason{"Poll": unauthorized})
		for range 6 {
			w.pass("Person", "ada")
		}
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if n := len(w.mutations()); n > 0 {
			t.Errorf("create %t: %d calls change the resource", create, n)
		}
	}
}

// TestClaimOfFastClockIsReleased has an object claim its resource by a clock that is far ahead,
// in an API without UIDs. The resource goes, and the create that is to make it again is refused.
// What another client makes then is foreign.
func TestClaimOfFastClockIsReleased(t *testing.T) {
	w := newWorld(t)
	w.cloud.Nameless()
	w.later = 1000 * time.Hour
	made(w)
	w.later = 0
	w.restart()
	w.cloud.Remove(ada)
	w.cloud.Before(applyFails(effect.None, v2.Reason_REASON_INVALID))
	for range 3 {
		w.pass("Person", "ada")
		w.later += 40 * time.Minute
	}
	w.cloud.Before(nil)
	w.cloud.Put(ada, byron)
	w.pass("Person", "ada")
	w.isByron(ada)
}
