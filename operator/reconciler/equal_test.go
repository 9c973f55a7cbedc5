package reconciler_test

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestEqualCreateMayStillTakeEffect has a create be cut off, and an equal one after it be
// accepted and fail. The first one takes effect after the object was deleted. The object stays for
// as long as that can be. Within an hour of the first create it owns the resource, as it would
// without the second one; later the user decides.
func TestEqualCreateMayStillTakeEffect(t *testing.T) {
	for _, cuts := range []int{1, 3} {
		for _, restarts := range []bool{false, true} {
			for _, isLate := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d creates are cut off, restarts %t, late %t", cuts, restarts, isLate), func(t *testing.T) {
					w := newWorld(t)
					first := w.cutAndFailed(cuts)
					w.delete("Person", "ada")
					for range 9 {
						if restarts {
							w.restart()
						}
						w.pass("Person", "ada")
						w.later += 20 * time.Second
					}
					if w.isGone("Person", "ada") {
						t.Fatalf("it is gone after %v: %s", w.later, w.reported())
					}
					w.appears(first)
					if isLate { // no process has run meanwhile
						w.later += time.Hour
						w.restart()
						w.pass("Person", "ada")
						w.wants("Person", "ada", "False", reconciler.Exists)
						w.annotate("Person", "ada", annotation.Adopt, "true")
					}
					w.passes(8)
					if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
						t.Errorf("the object is gone %t, and outside are %v: %s", w.isGone("Person", "ada"), w.cloud.IDs(), w.reported())
					}
				})
			}
		}
	}
}

// cutAndFailed has some creates of ada be cut off, and an equal one after them be accepted and
// fail. It returns the first one.
func (w *world) cutAndFailed(cuts int) *annotation.SentCreate {
	w.Helper()
	w.object("Person", "ada", person())
	for range cuts {
		w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
		w.pass("Person", "ada")
		w.cloud.Before(nil)
		w.later += 10 * time.Second
	}
	first := w.recorded("Person", "ada").Sent
	w.cloud.Slow(1, false)
	w.pass("Person", "ada")
	w.cloud.Slow(0, false)
	w.cloud.Lose()
	w.cloud.Remove(ada)
	w.cloud.Before(failing("Poll", v2.Reason_REASON_INVALID))
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	if m := w.recorded("Person", "ada"); m.Operation != nil || m.Sent == nil || !m.Sent.Ended || w.cloud.Get(ada) != nil {
		w.Fatalf("it remembers %+v", m)
	}
	return first
}

// appears has a create of ada take effect.
func (w *world) appears(sent *annotation.SentCreate) {
	w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: sent.Version, Body: []byte(sent.Body), IsOwn: true})
}

// TestEqualCreateIsAdopted has the first of two equal creates take effect, after the second one has
// failed. The object becomes Ready without the user, unless the resource differs from the request.
func TestEqualCreateIsAdopted(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		for body, want := range map[string][2]string{"": {"True", reconciler.Succeeded}, `{"properties":{"legalName":"Other"}}`: {"False", reconciler.Exists}} {
			w := newWorld(t)
			first := *w.cutAndFailed(1)
			first.Body = cmp.Or(body, first.Body)
			w.later += 5 * time.Minute // more than a look may lag
			if restarts {
				w.restart()
			}
			w.appears(&first)
			w.pass("Person", "ada")
			w.wants("Person", "ada", metav1.ConditionStatus(want[0]), want[1])
		}
	}
}

// TestCreateOfLongAgoWarnsOfNothing covers a create whose end nothing has shown, or whose
// operation is lost, and then no process runs. If the object is deleted after more than a day, no
// event warns.
func TestCreateOfLongAgoWarnsOfNothing(t *testing.T) {
	for how, polls := range map[string]v2.Reason{"followed no longer": v2.Reason_REASON_UNAUTHORIZED, "lost": v2.Reason_REASON_NOT_FOUND} {
		for away, warns := range map[time.Duration]bool{23 * time.Hour: true, 25 * time.Hour: false} {
			w := newWorld(t)
			accepted(w, polls)
			if polls == v2.Reason_REASON_UNAUTHORIZED {
				w.later = 25 * time.Hour
			}
			w.failsAll(map[string]v2.Reason{"Poll": polls, "Apply": v2.Reason_REASON_THROTTLED})
			for range 10 {
				w.pass("Person", "ada")
				w.later += time.Minute
			}
			m := w.recorded("Person", "ada")
			if m.Operation != nil || m.Sent == nil || !m.Sent.MayRun() && !m.Sent.Lost {
				t.Fatalf("%s: it remembers %+v", how, m)
			}
			w.later = m.Sent.Followed().Sub(w.now()) + w.later + away
			w.restart()
			w.cloud.Before(nil)
			w.delete("Person", "ada")
			w.endsWithWarning(warns, fmt.Sprintf("%s, deleted after %v", how, away))
		}
	}
}

// TestDoubtedCreateMayGoOn has the operation of a create be lost, or be followed no longer, while
// a resource is there of which only the user can tell whose it is. Another client removes that
// resource. If the object is deleted within a day, an event warns that the operation may make one.
func TestDoubtedCreateMayGoOn(t *testing.T) {
	for how, polls := range map[string]v2.Reason{"followed no longer": v2.Reason_REASON_UNAUTHORIZED, "lost": v2.Reason_REASON_NOT_FOUND} {
		for away, warns := range map[time.Duration]bool{time.Hour: true, 25 * time.Hour: false} {
			w := newWorld(t)
			w.cloud.Shows(true)
			accepted(w, polls)
			w.restart()
			w.later = 25 * time.Hour
			for range 10 {
				w.pass("Person", "ada")
				w.later += time.Minute
			}
			m := w.recorded("Person", "ada")
			if m.Operation != nil || m.Sent == nil || !m.Sent.Doubted {
				t.Fatalf("%s: it remembers %+v", how, m)
			}
			w.later += away
			w.restart()
			w.cloud.Before(nil)
			w.cloud.Remove(ada)
			w.delete("Person", "ada")
			w.endsWithWarning(warns, fmt.Sprintf("%s, deleted after %v", how, away))
		}
	}
}
