package reconciler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestResourcesThatAppearAfterCreate covers a create that succeeds, and an observation after it
// that finds nothing. A resource that appears within seconds belongs to the object if it equals the
// request. If it differs, only the user can decide, and the operator neither changes nor deletes
// it.
func TestResourcesThatAppearAfterCreate(t *testing.T) {
	for _, equals := range []bool{true, false} {
		for _, deletes := range []bool{true, false} {
			for _, restarts := range []bool{true, false} {
				w := newWorld(t)
				w.cloud.Slow(1, false)
				w.cloud.Quiet()
				made(w)
				sent := w.recorded("Person", "ada").Sent
				w.cloud.Meanwhile("Poll", func() { w.cloud.Remove(ada) })
				w.pass("Person", "ada")
				if m := w.recorded("Person", "ada"); m.Sent == nil || !m.Sent.Ended || !m.Sent.Accepted {
					t.Fatalf("it remembers %+v", m)
				}
				w.cloud.Meanwhile("Poll", nil)
				w.cloud.Slow(0, false)
				w.cloud.Forget()
				w.later = 10 * time.Second
				appears := byron
				if equals {
					appears = fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: sent.Version, Body: []byte(sent.Body)}
				}
				w.cloud.Put(ada, appears)
				if restarts {
					w.restart()
				}
				if deletes {
					w.delete("Person", "ada")
				}
				for range 3 {
					if !w.isGone("Person", "ada") {
						w.pass("Person", "ada")
					}
				}
				if equals {
					if deletes != (w.cloud.Get(ada) == nil) || deletes != w.isGone("Person", "ada") {
						t.Errorf("deleting %t: outside are %v: %s", deletes, w.cloud.IDs(), w.reported())
					}
					continue
				}
				w.isByron(ada)
				w.wants("Person", "ada", "False", reconciler.Exists)
				if n := len(w.mutations()); n > 0 {
					t.Errorf("deleting %t: it was changed %d times", deletes, n)
				}
				if message := w.condition("Person", "ada", reconciler.Ready).Message; !strings.Contains(message, "may have been made") {
					t.Errorf("it says %q", message)
				}
				w.annotate("Person", "ada", annotation.Adopt, "true")
				w.pass("Person", "ada")
				if deletes != w.isGone("Person", "ada") || deletes != (w.cloud.Get(ada) == nil) {
					t.Errorf("deleting %t: the user adopts it, and outside are %v", deletes, w.cloud.IDs())
				}
			}
		}
	}
}

// TestGoodCreateCountsAfterNext covers a create that succeeds, an observation after it that
// finds nothing, and a next equal create of unknown outcome. The object still counts as the maker
// of the resource, even when the first create is no longer believed.
func TestGoodCreateCountsAfterNext(t *testing.T) {
	for _, later := range []time.Duration{time.Minute, 2 * time.Hour} {
		w := newWorld(t)
		w.cloud.Slow(1, false)
		w.cloud.Quiet()
		made(w)
		w.cloud.Meanwhile("Poll", func() { w.cloud.Remove(ada) })
		w.pass("Person", "ada")
		w.cloud.Meanwhile("Poll", nil)
		first := w.recorded("Person", "ada")
		w.later = later
		w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
		w.pass("Person", "ada")
		m := w.recorded("Person", "ada")
		if m.Sent == nil || m.Sent.At.Equal(first.Sent.At) || m.Sent.Accepted {
			t.Fatalf("after %v it remembers %+v", later, m.Sent)
		}
		if !first.HasMade() || !m.HasMade() {
			t.Errorf("after %v it has made nothing: %+v", later, m.Sent)
		}
	}
}

// TestGoodCreateIsKeptByRefusedOne covers a create that succeeds, an observation after it that
// finds nothing, and a next create of another spec that has no effect. The first one still counts.
func TestGoodCreateIsKeptByRefusedOne(t *testing.T) {
	w := newWorld(t)
	w.cloud.Slow(1, false)
	w.cloud.Quiet()
	made(w)
	w.cloud.Meanwhile("Poll", func() { w.cloud.Remove(ada) })
	w.pass("Person", "ada")
	w.cloud.Meanwhile("Poll", nil)
	first := w.recorded("Person", "ada")
	w.later = 10 * time.Second
	w.edit("Person", "ada", elsewhere)
	w.cloud.Before(applyFails(effect.None, v2.Reason_REASON_THROTTLED))
	w.pass("Person", "ada")
	m := w.recorded("Person", "ada")
	if m.Sent == nil || !m.Sent.Ended || !m.Sent.Accepted || m.Sent.Digest != first.Sent.Digest {
		t.Fatalf("it remembers %+v", m.Sent)
	}
}

// TestDoubtStays has a create end well, the look that follows find nothing, and a resource with
// other values appear within seconds. Only the user can tell whose it is. Hours later that is still
// so: the object keeps the reason Exists, and stays if it is deleted.
func TestDoubtStays(t *testing.T) {
	for _, deletes := range []time.Duration{10 * time.Second, time.Minute, 3 * time.Hour} {
		for _, restarts := range []bool{true, false} {
			w := newWorld(t)
			w.cloud.Slow(1, false)
			w.cloud.Quiet()
			made(w)
			w.cloud.Meanwhile("Poll", func() { w.cloud.Remove(ada) })
			w.pass("Person", "ada")
			w.cloud.Meanwhile("Poll", nil)
			w.cloud.Slow(0, false)
			w.cloud.Forget()
			w.cloud.Put(ada, byron)
			isDeleted := false
			for w.later = 10 * time.Second; w.later < 6*time.Hour; w.later += 50 * time.Minute {
				if w.later >= deletes && !isDeleted {
					w.delete("Person", "ada")
					isDeleted = true
				}
				if w.pass("Person", "ada"); w.isGone("Person", "ada") {
					t.Fatalf("deleted after %v, restarts %t: after %v the object is gone", deletes, restarts, w.later)
				}
				if w.wants("Person", "ada", "False", reconciler.Exists); restarts {
					w.restart()
				}
			}
			if w.isByron(ada); len(w.mutations()) > 0 {
				t.Errorf("calls that change something: %v", w.mutations())
			}
			w.cloud.Remove(ada) // then another client makes one, which is foreign for certain
			w.cloud.Put(ada, byron)
			if w.pass("Person", "ada"); !w.isGone("Person", "ada") || w.cloud.Get(ada) == nil {
				t.Errorf("the object is gone %t, outside are %v", w.isGone("Person", "ada"), w.cloud.IDs())
			}
		}
	}
}

// TestDoubtOutlivesNextCreate has a create end well, the look that follows find nothing, and
// the next create be cut off, which sends the same or not. A resource with other values that
// appears may still have been made by the first one.
func TestDoubtOutlivesNextCreate(t *testing.T) {
	for _, edits := range []bool{true, false} {
		w := newWorld(t)
		w.cloud.Slow(1, false)
		w.cloud.Quiet()
		made(w)
		w.cloud.Meanwhile("Poll", func() { w.cloud.Remove(ada) })
		w.pass("Person", "ada")
		w.cloud.Meanwhile("Poll", nil)
		w.cloud.Slow(0, false)
		w.later = 10 * time.Second
		if edits {
			w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
		}
		w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
		w.pass("Person", "ada")
		w.cloud.Before(nil)
		w.later = 20 * time.Second
		w.cloud.Put(ada, byron)
		w.delete("Person", "ada")
		if w.passes(8); w.isGone("Person", "ada") {
			t.Errorf("edits %t: the object is gone, and outside are %v", edits, w.cloud.IDs())
			continue
		}
		w.wants("Person", "ada", "False", reconciler.Exists)
		w.isByron(ada)
	}
}

// TestGoodCreateIsSeenLate has a create end well, the look that follows find nothing, and the
// operator be away for longer than looks lag. A resource with other values may still be what the
// create has made: a deletion leaves it to the user.
func TestGoodCreateIsSeenLate(t *testing.T) {
	for _, away := range []time.Duration{time.Minute, 50 * time.Minute, 5 * time.Hour} {
		w := newWorld(t)
		w.cloud.Slow(1, false)
		w.cloud.Quiet()
		made(w)
		w.cloud.Stale(1)
		w.pass("Person", "ada")
		w.cloud.Stale(0)
		w.cloud.Slow(0, false)
		if m := w.recorded("Person", "ada"); m.Sent == nil || !m.Sent.Ended || !m.Sent.Accepted {
			t.Fatalf("it remembers %+v", m)
		}
		w.isOut(func(r *fakeprovider.Resource) { r.Body = byron.Body })
		w.cloud.Forget()
		w.later = away
		w.restart()
		w.staysInDoubt(away.String())
	}
}

// TestAcceptedCreateIsSeenLate has a create certainly take effect without an answer that
// identifies its resource, and the operator be away for two days. A resource with other values may
// still be what the create has made.
func TestAcceptedCreateIsSeenLate(t *testing.T) {
	w := newWorld(t)
	w.cloud.Poor()
	w.object("Person", "ada", person())
	w.failsOnce("Apply", effect.Certain, v2.Reason_REASON_TRANSIENT)
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.cloud.After(nil)
	if sent := w.recorded("Person", "ada").Sent; sent == nil || !sent.Accepted {
		t.Fatalf("it remembers %+v", sent)
	}
	w.isOut(func(r *fakeprovider.Resource) { r.Body = byron.Body })
	w.cloud.Forget()
	w.later = 48 * time.Hour
	w.restart()
	w.staysInDoubt("an accepted create")
}

// TestAcceptedCreateIsReplacedUnseen has a create certainly take effect without an answer that
// shows its resource. Before an observation, another client replaces the resource. The operator
// changes it neither then nor later, and only the user can tell whose it is.
func TestAcceptedCreateIsReplacedUnseen(t *testing.T) {
	for _, api := range apis {
		for _, edits := range []bool{false, true} {
			w := newWorld(t)
			api.set(w.cloud)
			w.object("Person", "ada", person())
			w.failsOnce("Apply", effect.Certain, v2.Reason_REASON_THROTTLED)
			w.pass("Person", "ada")
			w.cloud.After(nil)
			w.cloud.Remove(ada)
			w.cloud.Put(ada, byron)
			if edits {
				w.edit("Person", "ada", elsewhere)
			}
			w.restart()
			w.cloud.Forget()
			w.pass("Person", "ada")
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.Exists)
			w.staysInDoubt(fmt.Sprintf("%s, edits %t", api.name, edits))
			w.isByron(ada)
		}
	}
}

// TestAcceptedCreateIsSeenSoon has a create certainly take effect without an answer that shows
// its resource, which then equals the request. It is the object's, also if the user has edited the
// object since.
func TestAcceptedCreateIsSeenSoon(t *testing.T) {
	for i := range 2 * len(apis) {
		api, edits := apis[i/2], i%2 == 1
		w := newWorld(t)
		api.set(w.cloud)
		w.object("Person", "ada", person())
		w.failsOnce("Apply", effect.Certain, v2.Reason_REASON_THROTTLED)
		w.pass("Person", "ada")
		w.cloud.After(nil)
		if edits {
			w.edit("Person", "ada", elsewhere)
		}
		w.later = 30 * time.Minute
		w.restart()
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if n := w.cloud.Creates(ada); n != 1 {
			t.Errorf("%s, edits %t: it was created %d times", api.name, edits, n)
		}
	}
}
