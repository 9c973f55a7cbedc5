package reconciler_test

import (
	"testing"
	"time"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestMakerCountsBeforeEarlierClaim covers an object with a create of unknown outcome, whose
// claim the cache of a new process lacks. Another object creates the resource, and the process
// may end before it knows that. The second object owns the resource, and deletes it. Then the
// first one creates it.
func TestMakerCountsBeforeEarlierClaim(t *testing.T) {
	for _, isNoted := range []bool{true, false} {
		w := newWorld(t)
		other := named("ada")
		other["location"] = "north"
		w.object("Person", "ada", person())
		w.object("Person", "augusta", other)
		w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
		w.pass("Person", "ada")
		w.cloud.Before(nil)
		w.restart()
		if !isNoted {
			w.cloud.After(func(c fakeprovider.Call) error {
				if c.Verb == "Apply" {
					w.writes = func(func() error) error { return errForbidden }
				}
				return nil
			})
		}
		w.stale = true
		_, _ = w.try("Person", "augusta")
		w.stale, w.writes = false, nil
		w.cloud.After(nil)
		if !isNoted {
			w.restart()
		}
		for range 3 {
			w.later += 20 * time.Second
			w.pass("Person", "ada")
			w.pass("Person", "augusta")
		}
		w.wants("Person", "augusta", "True", reconciler.Succeeded)
		w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
		if n := w.cloud.Creates(ada); n != 1 {
			t.Errorf("noted %t: it was made %d times", isNoted, n)
		}
		w.delete("Person", "augusta")
		w.pass("Person", "augusta")
		if !w.isGone("Person", "augusta") || w.cloud.Get(ada) != nil {
			t.Errorf("noted %t: the maker is gone %t, and outside are %v", isNoted, w.isGone("Person", "augusta"), w.cloud.IDs())
		}
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
	}
}

// TestOwnerStaysItWhileItMakesResourceAgain covers an owner, and another object with a later
// claim because the cache of a new process was late. When the owner creates a lost resource again
// without an answer, it is still the owner.
func TestOwnerStaysItWhileItMakesResourceAgain(t *testing.T) {
	for _, hasUIDs := range []bool{true, false} {
		w := newWorld(t)
		if !hasUIDs {
			w.cloud.Nameless()
		}
		made(w)
		w.restart()
		w.stale = true
		w.later = time.Minute
		w.object("Person", "augusta", named("ada"), annotation.Adopt, "true")
		w.pass("Person", "augusta")
		w.wants("Person", "augusta", "True", reconciler.Succeeded)
		w.stale = false
		w.cloud.Remove(ada)
		w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
		w.pass("Person", "ada")
		w.cloud.Before(nil)
		if m := w.recorded("Person", "ada"); m.ID != "" || m.Sent == nil {
			t.Fatalf("UIDs %t: the claim is %+v", hasUIDs, m)
		}
		w.restart()
		w.cloud.Forget()
		w.pass("Person", "augusta")
		w.wants("Person", "augusta", "False", reconciler.OwnedByAnother)
		if calls := w.mutations(); len(calls) > 0 {
			t.Errorf("UIDs %t: the later object makes %v", hasUIDs, calls)
		}
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
	}
}
