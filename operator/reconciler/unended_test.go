package reconciler_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestFailedCreateAtServiceThatAlters has a create fail that has left a resource, at a service
// that spells a value otherwise. The look after it misses the resource. Nothing shows whether the
// create or another client has made it: a deletion leaves the decision to the user, at once or
// later.
func TestFailedCreateAtServiceThatAlters(t *testing.T) {
	for _, away := range []time.Duration{0, 10 * time.Second, 40 * time.Second, 5 * time.Hour} {
		for _, restarts := range []bool{true, false} {
			w := newWorld(t)
			w.cloud.Alters(func(body []byte) []byte { return bytes.Replace(body, []byte("westeurope"), []byte("WestEurope"), 1) })
			w.cloud.Slow(1, false)
			made(w)
			w.cloud.Slow(0, false)
			w.cloud.Complete()
			w.cloud.Before(failing("Poll", v2.Reason_REASON_INVALID))
			w.cloud.Stale(1)
			w.pass("Person", "ada")
			w.cloud.Before(nil)
			if m := w.recorded("Person", "ada"); m.Sent == nil || !m.Sent.Ended || m.Sent.Accepted {
				t.Fatalf("it remembers %+v", m)
			}
			w.later += away
			if restarts {
				w.restart()
			}
			w.staysInDoubt(fmt.Sprintf("after %v, restarts %t", away, restarts))
			if message := w.condition("Person", "ada", reconciler.Ready).Message; !strings.Contains(message, "may have been made") {
				t.Errorf("it says %q", message)
			}
			w.annotate("Person", "ada", annotation.Adopt, "true")
			if w.passes(8); !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
				t.Errorf("the user adopts it, and outside are %v", w.cloud.IDs())
			}
		}
	}
}

// TestCreateThatMayGoOn has a deleted object give up its create, which polls last showed running.
// They are refused for a day, or fail for hours, and observations find nothing. An event warns that
// the resource may still appear.
func TestCreateThatMayGoOn(t *testing.T) {
	for _, polls := range []v2.Reason{v2.Reason_REASON_UNAUTHORIZED, v2.Reason_REASON_TRANSIENT} {
		for _, restarts := range []bool{true, false} {
			w := newWorld(t)
			accepted(w, polls)
			w.later = 20 * time.Minute
			w.delete("Person", "ada")
			w.restart()
			for range 300 {
				if w.isGone("Person", "ada") {
					break
				}
				w.pass("Person", "ada")
				if w.later += 6 * time.Minute; w.later > 25*time.Hour { // observations follow each other in minutes then
					w.later -= 5 * time.Minute
				}
				if restarts && w.later > 26*time.Hour {
					w.restart()
					restarts = false
				}
			}
			reported := w.reported()
			if !w.isGone("Person", "ada") || !strings.Contains(reported, "Warning "+reconciler.NotDeleted) || strings.Contains(reported, "Normal "+reconciler.Deleted) {
				t.Errorf("%v: the object is gone %t after %v: %s", polls, w.isGone("Person", "ada"), w.later, reported)
			}
			if n := len(w.mutations()); n != 1 {
				t.Errorf("%v: %d calls change something", polls, n)
			}
		}
	}
}

// TestCreateThatEndsAfterAll has the polls of a create be refused for a day, so that nothing shows
// how it ends. What appears later, or what another client makes, is not touched, and only the user
// can tell whose it is.
func TestCreateThatEndsAfterAll(t *testing.T) {
	for _, does := range []string{"deletes", "is refused", "waits"} {
		w := newWorld(t)
		accepted(w, v2.Reason_REASON_UNAUTHORIZED)
		for w.later < 25*time.Hour {
			w.pass("Person", "ada")
			w.later += time.Hour
			if w.later == 24*time.Hour { // the operator sends nothing while it gives up
				w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_UNAUTHORIZED, "Apply": v2.Reason_REASON_THROTTLED})
			}
		}
		if m := w.recorded("Person", "ada"); m.Operation != nil || m.Sent == nil {
			t.Fatalf("it remembers %+v", m)
		}
		w.later += 30 * time.Minute
		w.pass("Person", "ada")
		w.cloud.Forget()
		w.cloud.Before(nil)
		sent := w.recorded("Person", "ada").Sent
		if sent == nil {
			t.Fatal("it remembers no create")
		}
		equal := fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: sent.Version, Body: []byte(sent.Body)}
		w.cloud.Put(ada, equal)
		if does == "deletes" {
			w.staysInDoubt(does)
			continue
		}
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.Exists)
		if n := len(w.mutations()); n > 0 {
			t.Errorf("%d calls change something", n)
		}
	}
}

// TestEndThatIsLearnedLate has a create end while the operator is away for a day, and its
// resource be gone. Another client then makes an equal one. The end proves nothing, since nobody
// knows when it was: only the user can tell whose the resource is.
func TestEndThatIsLearnedLate(t *testing.T) {
	for _, ends := range []string{"well", "badly"} {
		for _, deletes := range []bool{true, false} {
			w := newWorld(t)
			begun(w, true)
			w.cloud.Quiet()
			w.cloud.Complete()
			w.cloud.Remove(ada)
			if ends == "badly" {
				w.cloud.Before(failing("Poll", v2.Reason_REASON_INVALID))
			}
			w.later = 24 * time.Hour
			w.restart()
			w.pass("Person", "ada")
			w.cloud.Before(nil)
			m := w.recorded("Person", "ada")
			if m.Operation != nil || m.Sent == nil {
				t.Fatalf("it ends %s: it remembers %+v", ends, m)
			}
			w.later += 10 * time.Second
			w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: m.Sent.Version, Body: []byte(m.Sent.Body)})
			w.cloud.Forget()
			if deletes {
				w.staysInDoubt("it ends " + ends)
				continue
			}
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.Exists)
			if n := len(w.mutations()); n > 0 {
				t.Errorf("it ends %s: %d calls change something", ends, n)
			}
		}
	}
}

// TestClaimOfFutureStaysOld has a create of unknown outcome be dated ten hours ahead. When that
// hour comes, it proves no more than before.
func TestClaimOfFutureStaysOld(t *testing.T) {
	w := newWorld(t)
	w.later = 10 * time.Hour
	w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
	made(w)
	sent := w.recorded("Person", "ada").Sent
	w.later = 0
	w.restart()
	w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: sent.Version, Body: byron.Body})
	w.cloud.Before(failing("Observe", v2.Reason_REASON_TRANSIENT))
	w.pass("Person", "ada") // learns nothing, except that the time is wrong
	w.cloud.Before(nil)
	w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: sent.Version, Body: []byte(sent.Body)})
	w.cloud.Forget()
	w.later = 10 * time.Hour
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.Exists)
	w.staysInDoubt("a claim of the future")
}

// TestManyCreatesOfUnknownOutcome has more creates be cut off than a claim stores, each with
// another location. The first one takes effect after all: only the user can tell whose the resource
// is.
func TestManyCreatesOfUnknownOutcome(t *testing.T) {
	for _, deletes := range []bool{true, false} {
		w := newWorld(t)
		w.object("Person", "ada", person())
		w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
		for i := range 7 {
			w.edit("Person", "ada", func(u *unstructured.Unstructured) {
				u.Object["spec"].(map[string]any)["location"] = fmt.Sprint("region", i)
			})
			w.pass("Person", "ada")
			w.later += time.Minute
		}
		calls := w.cloud.Calls("Apply")
		if len(calls) != 7 {
			t.Fatalf("%d creates", len(calls))
		}
		w.cloud.Before(nil)
		w.cloud.Forget()
		w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: calls[0].Version, Body: []byte(calls[0].Body)})
		if deletes {
			w.staysInDoubt("seven creates")
			continue
		}
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.Exists)
		w.staysInDoubt("seven creates")
	}
}

// TestDoubtIsSpelledOtherwise has the resource of an object be removed, and its next create end
// during an absence, so that only the user can tell whose the resource is. Reads spell its UID
// otherwise than the poll did.
func TestDoubtIsSpelledOtherwise(t *testing.T) {
	w := newWorld(t)
	w.cloud.Untagged()
	w.cloud.Respelled()
	made(w)
	w.cloud.Remove(ada)
	w.cloud.Slow(1, false)
	w.pass("Person", "ada")
	w.cloud.Slow(0, false)
	w.cloud.Complete()
	w.isOut(func(r *fakeprovider.Resource) { r.Body = byron.Body })
	w.later = 12 * time.Hour
	w.restart()
	w.pass("Person", "ada")
	sent := w.recorded("Person", "ada").Sent
	if sent == nil || sent.DoubtedUID == "" || sent.MissedUID == "" {
		t.Fatalf("it remembers %+v", sent)
	}
	w.cloud.Forget()
	w.staysInDoubt("another spelling")
}

// appearsLate begins a create whose outcome is unknown. Two hours later, after a restart, the
// resource that it sent is there.
func (w *world) appearsLate() {
	w.Helper()
	w.object("Person", "ada", person())
	w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
	w.pass("Person", "ada")
	w.later = 2 * time.Hour
	sent := w.recorded("Person", "ada").Sent
	w.cloud.Put(ada, fakeprovider.Resource{Version: sent.Version, Body: []byte(sent.Body)})
	w.restart()
}

// TestDoubtEndsWithNextCreate has a resource of which only the user can tell whose it is be
// removed, and the next create certainly have an effect, in an API without UIDs. What appears then
// is the object's.
func TestDoubtEndsWithNextCreate(t *testing.T) {
	w := newWorld(t)
	w.cloud.Poor()
	w.appearsLate()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.Exists)
	w.cloud.Remove(ada)
	w.failsOnce("Apply", effect.Certain, v2.Reason_REASON_TRANSIENT)
	w.pass("Person", "ada")
	if m := w.recorded("Person", "ada"); m.Sent == nil || !m.Sent.Accepted || m.Sent.Doubted {
		t.Fatalf("it remembers %+v", m.Sent)
	}
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestLostCreateMayStillAppear has the operation of a create be lost, within an hour of its last
// answered poll, and no resource be there. If the object is then deleted, an event warns that the
// resource may still appear.
func TestLostCreateMayStillAppear(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		w := newWorld(t)
		w.cloud.Slow(1000, false)
		made(w)
		w.cloud.Lose()
		w.cloud.Remove(ada)
		w.cloud.Before(failing("Apply", v2.Reason_REASON_THROTTLED))
		w.pass("Person", "ada")
		if m := w.recorded("Person", "ada"); m.Operation != nil || m.Sent == nil {
			t.Fatalf("it remembers %+v", m)
		}
		if restarts {
			w.restart()
		}
		w.delete("Person", "ada")
		for range 40 {
			w.passes(1)
			w.later += 20 * time.Second
		}
		if reported := w.reported(); !w.isGone("Person", "ada") || !strings.Contains(reported, "Warning "+reconciler.NotDeleted) || strings.Contains(reported, "Normal "+reconciler.Deleted) {
			t.Errorf("restarts %t: it is gone %t: %s", restarts, w.isGone("Person", "ada"), reported)
		}
	}
}

// TestOverdueOperationMayMakeItAgain has a deleted object follow the operation of a change no
// longer, and another client remove the resource. An event warns that the operation may make it
// again.
func TestOverdueOperationMayMakeItAgain(t *testing.T) {
	w := newWorld(t)
	w.cloud.Shows(true)
	made(w)
	w.cloud.Slow(1_000_000, false)
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
	w.pass("Person", "ada")
	if m := w.recorded("Person", "ada"); m.Operation == nil {
		t.Fatalf("it remembers %+v", m)
	}
	w.cloud.Slow(0, false)
	w.delete("Person", "ada")
	w.later = 25 * time.Hour
	w.cloud.Meanwhile("Delete", func() { w.cloud.Remove(ada) })
	for range 40 {
		w.passes(1)
		w.later += 20 * time.Second
	}
	if reported := w.reported(); !w.isGone("Person", "ada") || !strings.Contains(reported, "Warning "+reconciler.NotDeleted) || strings.Contains(reported, "Normal "+reconciler.Deleted) {
		t.Errorf("it is gone %t: %s", w.isGone("Person", "ada"), reported)
	}
}

// TestLostChangeMayMakeItAgain has the operation of a change of a deleted object be lost, and
// another client remove the resource. An event warns that the operation may make it again, unless
// the operation was last known to run more than a day ago.
func TestLostChangeMayMakeItAgain(t *testing.T) {
	for away, warns := range map[time.Duration]bool{0: true, 23 * time.Hour: true, 25 * time.Hour: false, 60 * 24 * time.Hour: false} {
		for _, restarts := range []bool{false, true} {
			w := newWorld(t)
			w.changesFor(away)
			if w.cloud.Lose(); restarts {
				w.restart()
			}
			w.delete("Person", "ada")
			w.cloud.Remove(ada)
			w.endsWithWarning(warns, fmt.Sprintf("away for %v, restarts %t", away, restarts))
		}
	}
}

// TestLostChangeOfDays has only polls report a change that runs for days, until it is lost. If its
// object is deleted then, an event warns.
func TestLostChangeOfDays(t *testing.T) {
	w := newWorld(t)
	w.changesFor(time.Hour)
	for w.later < 40*time.Hour {
		w.pass("Person", "ada")
		w.later += time.Hour
	}
	if m := w.recorded("Person", "ada"); m.Operation == nil {
		t.Fatalf("it remembers %+v", m)
	}
	w.delete("Person", "ada")
	w.cloud.Lose()
	w.cloud.Remove(ada)
	w.endsWithWarning(true, "after days")
}

// changesFor begins the operation of a change, and lets a time pass without a poll.
func (w *world) changesFor(away time.Duration) {
	w.Helper()
	w.cloud.Shows(true)
	made(w)
	w.cloud.Slow(1_000_000, false)
	w.edit("Person", "ada", elsewhere)
	w.pass("Person", "ada")
	if m := w.recorded("Person", "ada"); m.Operation == nil {
		w.Fatalf("it remembers %+v", m)
	}
	w.cloud.Slow(0, false)
	w.later = away
}

// endsWithWarning makes passes until the deleted object is gone, and fails the test unless the last
// event is the warning NotDeleted, or else Deleted.
func (w *world) endsWithWarning(warns bool, when string) {
	w.Helper()
	for range 40 {
		w.passes(1)
		w.later += 20 * time.Second
	}
	reported := w.reported()
	if isWarned := strings.Contains(reported, "Warning "+reconciler.NotDeleted); !w.isGone("Person", "ada") || isWarned != warns || strings.Contains(reported, "Normal "+reconciler.Deleted) == warns {
		w.Errorf("%s: it is gone %t: %s", when, w.isGone("Person", "ada"), reported)
	}
}

// TestUnendedChangeIsForgotten has the operation of a change be lost, or be followed no longer,
// and then no process run. If the object is deleted after more than a day, no event warns.
func TestUnendedChangeIsForgotten(t *testing.T) {
	for _, isLost := range []bool{false, true} {
		for later, warns := range map[time.Duration]bool{23 * time.Hour: true, 60 * 24 * time.Hour: false} {
			w := newWorld(t)
			if isLost {
				w.changesFor(0)
				w.cloud.Lose()
			} else {
				w.changesFor(25 * time.Hour)
				w.cloud.Slow(1_000_000, false)
				w.isOut(func(r *fakeprovider.Resource) { r.LastChange = v1.Change_CHANGE_RUNNING })
			}
			w.pass("Person", "ada")
			if m := w.recorded("Person", "ada"); m.Operation != nil || m.Unanswered == nil {
				t.Fatalf("lost %t: it remembers %+v", isLost, m)
			}
			w.later += later
			w.restart()
			w.cloud.Remove(ada)
			w.delete("Person", "ada")
			w.endsWithWarning(warns, fmt.Sprintf("lost %t, deleted after %v", isLost, later))
		}
	}
}
