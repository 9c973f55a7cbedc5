package reconciler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// begun begins a create or a change that takes one poll.
func begun(w *world, create bool) {
	w.Helper()
	if !create {
		made(w)
	}
	w.cloud.Slow(1, false)
	if create {
		made(w)
	} else {
		w.edit("Person", "ada", elsewhere)
		w.pass("Person", "ada")
	}
	if w.recorded("Person", "ada").Operation == nil {
		w.Fatal("no operation has begun")
	}
	w.cloud.Slow(0, false)
	w.cloud.Forget()
}

// TestEndThatWasNotSeen covers an operation that ends while the operator is away for twelve
// hours. Meanwhile another client replaces the resource. The poll reports the end with the resource
// that exists now, or without it, or reports that the operation has failed. The operator neither
// changes nor deletes the resource, and the object is not Ready.
func TestEndThatWasNotSeen(t *testing.T) {
	for _, create := range []bool{true, false} {
		for _, ends := range []string{"well", "well, without an observation", "badly"} {
			for _, deletes := range []bool{true, false} {
				t.Run(fmt.Sprintf("create %t, ends %s, deletes %t", create, ends, deletes), func(t *testing.T) {
					w := newWorld(t)
					if create { // otherwise only a UID can tell that the resource was replaced
						w.cloud.Nameless()
					} else {
						w.cloud.Untagged()
					}
					begun(w, create)
					if ends == "well, without an observation" {
						w.cloud.Quiet()
					}
					w.cloud.Complete()
					w.cloud.Remove(ada)
					w.cloud.Put(ada, byron)
					if ends == "badly" {
						w.cloud.Before(failing("Poll", v2.Reason_REASON_INVALID))
					}
					w.later = 12 * time.Hour
					w.restart()
					if deletes {
						w.delete("Person", "ada")
					}
					for range 12 {
						if w.pass("Person", "ada"); w.isGone("Person", "ada") {
							break
						}
						if c := w.condition("Person", "ada", reconciler.Ready); c.Status == "True" {
							t.Fatalf("it is %+v", c)
						}
						w.later += 20 * time.Minute
					}
					w.isByron(ada)
					if n := len(w.mutations()); n > 0 {
						t.Errorf("%d calls change the resource: %s", n, w.reported())
					}
					if create && w.isGone("Person", "ada") {
						t.Error("only the user can tell whose the resource is, and the object is gone")
					}
				})
			}
		}
	}
}

// TestEndThatWasSeenLate covers an operation that ends while the operator is away, and whose
// resource nobody replaces. It belongs to the object. If it differs from what was sent, only the
// user can tell that of a create: the service or another client may have changed it.
func TestEndThatWasSeenLate(t *testing.T) {
	normalizes := func(body []byte) []byte {
		return []byte(strings.Replace(string(body), `"elsewhere"`, `"ELSEWHERE"`, 1))
	}
	for _, test := range []struct {
		reason         string
		create, alters bool
		away           time.Duration
		want           string
	}{
		{"a create", true, false, 12 * time.Hour, reconciler.Succeeded},
		{"a change", false, false, 12 * time.Hour, reconciler.Succeeded},
		{"a change that the service alters", false, true, 12 * time.Hour, reconciler.Succeeded},
		{"a create that the service alters", true, true, 12 * time.Hour, reconciler.Exists},
		{"a create that the service alters, seen soon", true, true, 50 * time.Minute, reconciler.Succeeded},
	} {
		for _, quiet := range []bool{true, false} {
			for _, deletes := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, quiet %t, deletes %t", test.reason, quiet, deletes), func(t *testing.T) {
					w := newWorld(t)
					if test.alters {
						w.cloud.Alters(normalizes)
					}
					if test.create {
						spec := person()
						spec["location"] = "elsewhere"
						w.cloud.Slow(1, false)
						w.object("Person", "ada", spec)
						w.pass("Person", "ada")
						w.cloud.Slow(0, false)
					} else {
						begun(w, false)
					}
					if quiet {
						w.cloud.Quiet()
					}
					w.cloud.Complete()
					w.later = test.away
					w.restart()
					if deletes {
						w.delete("Person", "ada")
					}
					for range 3 {
						if !w.isGone("Person", "ada") {
							w.pass("Person", "ada")
						}
					}
					switch {
					case !deletes:
						status := "True"
						if test.want == reconciler.Exists {
							status = "False"
						}
						w.wants("Person", "ada", metav1.ConditionStatus(status), test.want)
					case test.want == reconciler.Exists:
						w.wants("Person", "ada", "False", reconciler.Exists)
						if w.cloud.Get(ada) == nil {
							t.Error("the resource was deleted")
						}
					case !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil:
						t.Errorf("outside are %v: %s", w.cloud.IDs(), w.reported())
					}
					if test.want == reconciler.Exists {
						w.annotate("Person", "ada", annotation.Adopt, "true")
						w.pass("Person", "ada")
						if deletes != w.isGone("Person", "ada") || deletes != (w.cloud.Get(ada) == nil) {
							t.Errorf("the user adopts it, and outside are %v: %s", w.cloud.IDs(), w.reported())
						}
					}
					if n := w.cloud.Creates(ada); n != 1 {
						t.Errorf("%d creates", n)
					}
				})
			}
		}
	}
}

// TestNormalizedValueEndsNothing covers an operation that goes on for days, which only polls
// report, at a service that spells a value otherwise. The operator follows the operation, sends
// nothing over it, and the object is not Ready until it has ended.
func TestNormalizedValueEndsNothing(t *testing.T) {
	for _, create := range []bool{true, false} {
		w := newWorld(t)
		unreported(w, create)
		w.isOut(func(r *fakeprovider.Resource) {
			r.Body = []byte(strings.Replace(strings.Replace(string(r.Body), "elsewhere", "ELSEWHERE", 1), "westeurope", "WestEurope", 1))
		})
		for w.later = 20 * time.Hour; w.later < 120*time.Hour; w.later += 5 * time.Hour {
			if w.pass("Person", "ada"); w.later > 60*time.Hour {
				w.restart()
			}
			if c := w.condition("Person", "ada", reconciler.Ready); c.Status != "False" {
				t.Fatalf("create %t: after %v polls report that the operation goes on, and the object is %+v", create, w.later, c)
			}
		}
		if n := len(w.mutations()); n > 0 {
			t.Errorf("create %t: %d calls change the resource", create, n)
		}
		w.cloud.Finish()
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
	}
}

// TestCreateOfDaysIsAwaited covers a create that goes on for more than a day, and shows no
// resource until its end. A deletion waits for it, so that it leaves nothing. An edit waits too, so
// that nothing is created twice.
func TestCreateOfDaysIsAwaited(t *testing.T) {
	for _, does := range []string{"waits", "deletes", "edits"} {
		w := newWorld(t)
		w.cloud.Slow(1_000_000, false)
		made(w)
		w.later = 25 * time.Hour
		w.pass("Person", "ada")
		switch does {
		case "deletes":
			w.delete("Person", "ada")
		case "edits":
			w.edit("Person", "ada", elsewhere)
		}
		for range 30 {
			if w.isGone("Person", "ada") {
				t.Fatalf("%s: the object is gone, and its create goes on", does)
			}
			w.pass("Person", "ada")
			w.later += 2 * time.Minute
		}
		w.later += 30 * time.Hour
		w.restart()
		w.pass("Person", "ada")
		if n := len(w.mutations()); n != 1 {
			t.Errorf("%s: there were %d calls that change something: %s", does, n, w.reported())
		}
		w.cloud.Slow(0, false)
		w.cloud.Finish()
		w.passes(8)
		if is := w.cloud.Get(ada) == nil; is != (does == "deletes") || is != w.isGone("Person", "ada") {
			t.Errorf("%s: outside are %v: %s", does, w.cloud.IDs(), w.reported())
		}
		if does != "deletes" {
			w.wants("Person", "ada", "True", reconciler.Succeeded)
		}
	}
}

// TestLookThatFailsAfterPoll covers an API that returns another handle at each poll, and an
// observation after a poll that fails. The operation is still followed by its last handle.
func TestLookThatFailsAfterPoll(t *testing.T) {
	for _, create := range []bool{true, false} {
		w := newWorld(t)
		w.cloud.Rotates(true)
		unreported(w, create)
		w.later = 30 * time.Hour
		w.failsAll(map[string]v2.Reason{"Observe": v2.Reason_REASON_TRANSIENT})
		for range 3 {
			w.pass("Person", "ada")
			w.later += time.Hour
		}
		w.cloud.Before(nil)
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", map[bool]string{true: reconciler.Creating, false: reconciler.Updating}[create])
		if n := len(w.mutations()); n > 0 || w.recorded("Person", "ada").Operation == nil {
			t.Errorf("create %t: %d calls change the resource, and it remembers %+v", create, n, w.recorded("Person", "ada").Operation)
		}
	}
}

// TestDriftDuringAbsence covers a change that ends well while the operator is away, and another
// client that changes the resource then. That is no difference which came back at once, so the
// operator corrects it.
func TestDriftDuringAbsence(t *testing.T) {
	for _, restarts := range []bool{true, false} {
		w := newWorld(t)
		begun(w, false)
		w.cloud.Complete()
		w.isOut(func(r *fakeprovider.Resource) { r.Body = byron.Body })
		w.later = 12 * time.Hour
		if restarts {
			w.restart()
		}
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if c := w.condition("Person", "ada", reconciler.Drifted); c.Status != "" {
			t.Errorf("restarts %t: it is %+v", restarts, c)
		}
	}
}

// doubtful has a create be reported as failed after an absence of twelve hours, while a resource
// exists that differs from what was sent. Only the user can tell whose it is.
func doubtful(w *world) {
	w.Helper()
	w.cloud.Slow(1, false)
	w.restart()
	w.pass("Person", "ada")
	w.cloud.Slow(0, false)
	w.cloud.Complete()
	w.isOut(func(r *fakeprovider.Resource) { r.Body = byron.Body })
	w.cloud.Before(failing("Poll", v2.Reason_REASON_INVALID))
	w.later += 12 * time.Hour
	w.restart()
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.cloud.Forget()
	if sent := w.recorded("Person", "ada").Sent; sent == nil || !sent.Doubted {
		w.Fatalf("it remembers %+v", sent)
	}
}

// staysInDoubt fails the test unless the deleted object waits for the user.
func (w *world) staysInDoubt(reason string) {
	w.Helper()
	w.delete("Person", "ada")
	w.passes(8)
	if w.isGone("Person", "ada") {
		w.Fatalf("%s: the object is gone, and outside are %v: %s", reason, w.cloud.IDs(), w.reported())
	}
	w.wants("Person", "ada", "False", reconciler.Exists)
	if n := len(w.cloud.Calls("Delete")); n > 0 {
		w.Errorf("%s: %d deletes", reason, n)
	}
}

// TestDoubtSurvivesMissedLook covers an observation that misses the resource of which only the
// user can tell whose it is, and a create after it that has no effect.
func TestDoubtSurvivesMissedLook(t *testing.T) {
	for reason, does := range map[string]func(*fakeprovider.Cloud){"UIDs": func(*fakeprovider.Cloud) {}, "neither": (*fakeprovider.Cloud).Nameless} {
		for _, refused := range []v2.Reason{v2.Reason_REASON_THROTTLED, v2.Reason_REASON_CONFLICT} {
			w := newWorld(t)
			does(w.cloud)
			w.object("Person", "ada", person())
			doubtful(w)
			w.later += time.Minute // the create that has failed is not repeated for a while
			w.cloud.Stale(1)
			w.cloud.Before(applyFails(effect.None, refused))
			w.pass("Person", "ada")
			if n := len(w.cloud.Calls("Apply")); n != 1 {
				t.Fatalf("%s: %d creates", reason, n)
			}
			w.cloud.Before(nil)
			w.cloud.Stale(0)
			w.staysInDoubt(reason)
		}
	}
}

// TestDoubtOutlivesCutCreate covers a resource of which only the user can tell whose it is, an
// observation that misses it, and a create after that which is cut off before its effect. The
// resource equals the new request too, which has not made it.
func TestDoubtOutlivesCutCreate(t *testing.T) {
	for reason, does := range map[string]func(*fakeprovider.Cloud){"UIDs": func(*fakeprovider.Cloud) {}, "neither": (*fakeprovider.Cloud).Nameless} {
		for _, deletes := range []bool{true, false} {
			w := newWorld(t)
			does(w.cloud)
			w.object("Person", "ada", person())
			w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
			w.pass("Person", "ada")
			w.cloud.Before(nil)
			sent := w.recorded("Person", "ada").Sent
			w.later = 2 * time.Hour
			w.cloud.Put(ada, fakeprovider.Resource{Version: sent.Version, Body: []byte(sent.Body)})
			w.restart()
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.Exists)
			w.cloud.Stale(1)
			w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
			w.cloud.Forget()
			w.pass("Person", "ada")
			if n := len(w.cloud.Calls("Apply")); n != 1 {
				t.Fatalf("%s: %d creates", reason, n)
			}
			w.cloud.Before(nil)
			w.cloud.Stale(0)
			w.cloud.Forget()
			if deletes {
				w.staysInDoubt(reason)
				continue
			}
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.Exists)
		}
	}
}

// TestEarlierChangeEndsNoDoubt covers an object whose change has no known result, and whose
// resource another client then removes. The next create leaves a resource of which only the user
// can tell whose it is. It is not what the change sent, which proves nothing about the create.
func TestEarlierChangeEndsNoDoubt(t *testing.T) {
	w := newWorld(t)
	w.cloud.Nameless()
	made(w)
	w.edit("Person", "ada", elsewhere)
	w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.cloud.Remove(ada)
	doubtful(w)
	if w.recorded("Person", "ada").Unanswered == nil {
		t.Fatal("it does not remember the change")
	}
	w.staysInDoubt("a change")
}

// TestCutChangeOutlivesNext covers a change that is cut off, and a next one that succeeds. The
// first one may still take effect. Another client removes the resource, and the object is deleted:
// what the first change makes again is deleted too.
func TestCutChangeOutlivesNext(t *testing.T) {
	for _, restarts := range []bool{true, false} {
		w := newWorld(t)
		w.cloud.Untagged()
		made(w)
		w.isOut(func(r *fakeprovider.Resource) { r.Body = byron.Body })
		w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
		w.cloud.Forget()
		w.pass("Person", "ada")
		cut := w.cloud.Calls("Apply")[0]
		w.cloud.Before(nil)
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		w.cloud.Remove(ada)
		if restarts {
			w.restart()
		}
		w.delete("Person", "ada")
		w.later = time.Minute
		w.pass("Person", "ada")
		if w.isGone("Person", "ada") {
			t.Fatal("the object is gone, and its change may still take effect")
		}
		w.cloud.Put(ada, fakeprovider.Resource{Version: cut.Version, Body: []byte(cut.Body)})
		w.pass("Person", "ada") // only the user can tell who has made it again
		w.annotate("Person", "ada", annotation.Adopt, "true")
		w.passes(3)
		w.later += 5 * time.Minute
		w.passes(1)
		if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
			t.Errorf("restarts %t: outside are %v: %s", restarts, w.cloud.IDs(), w.reported())
		}
	}
}

// TestCutChangeOutlivesNextCreate covers a change that is cut off, and whose resource another
// client removes. The next create succeeds or fails, and an observation finds its resource later.
// The change may still take effect.
func TestCutChangeOutlivesNextCreate(t *testing.T) {
	for _, fails := range []bool{false, true} {
		w := newWorld(t)
		cutsAndCreates(w, fails)
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if m := w.recorded("Person", "ada"); m.ID != ada || m.Unanswered == nil {
			t.Errorf("the create fails %t: it remembers %+v", fails, m)
		}
	}
}

// cutsAndCreates has a change be cut off, and the next create end or fail. A look misses its
// resource, which is there ten seconds later.
func cutsAndCreates(w *world, fails bool) {
	w.Helper()
	w.cloud.Untagged()
	made(w)
	w.edit("Person", "ada", elsewhere)
	w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.cloud.Remove(ada)
	w.restart()
	w.cloud.Slow(1, false)
	w.cloud.Quiet()
	w.pass("Person", "ada")
	w.cloud.Meanwhile("Poll", func() { w.cloud.Remove(ada) })
	if fails {
		w.failsOnce("Poll", effect.None, v2.Reason_REASON_INVALID)
	}
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.cloud.Meanwhile("Poll", nil)
	w.cloud.Slow(0, false)
	sent := w.recorded("Person", "ada").Sent
	if sent == nil || !sent.Ended || sent.Accepted == fails {
		w.Fatalf("it remembers %+v", sent)
	}
	w.cloud.Put(ada, fakeprovider.Resource{Version: sent.Version, Body: []byte(sent.Body), IsOwn: true})
	w.later = 10 * time.Second
}

// TestAcceptedCreateAfterAbsence covers a create that certainly had an effect, and whose
// resource nothing identifies. No process observes it for two days: only the user can tell whose it
// is.
func TestAcceptedCreateAfterAbsence(t *testing.T) {
	w := newWorld(t)
	w.cloud.Poor()
	w.object("Person", "ada", person())
	w.failsOnce("Apply", effect.Certain, v2.Reason_REASON_TRANSIENT)
	w.pass("Person", "ada")
	w.cloud.After(nil)
	if sent := w.recorded("Person", "ada").Sent; sent == nil || !sent.Accepted {
		t.Fatalf("it remembers %+v", sent)
	}
	w.later = 48 * time.Hour
	w.restart()
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.Exists)
	w.staysInDoubt("an accepted create")
}
