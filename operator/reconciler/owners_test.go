package reconciler_test

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// answers makes the next write return an error, whether or not it is stored.
func (w *world) answers(isStored bool, failure error) {
	w.writes = func(do func() error) error {
		w.writes = nil
		if isStored {
			if err := do(); err != nil {
				return err
			}
		}
		return failure
	}
}

// TestClaimWithLostAnswer covers an unanswered write of a claim, which the API server stores
// or not, while the cache shows no claims. Another object for the same resource waits only for a
// stored claim.
func TestClaimWithLostAnswer(t *testing.T) {
	refusal := apierrors.NewConflict(schema.GroupResource{}, "ada", errors.New("it was changed"))
	for _, test := range []struct {
		reason   string
		isStored bool
		failure  error
		isOwner  bool
	}{
		{"it was stored", true, errors.New("the connection was cut"), true},
		{"it was stored, and the server says that it took too long", true, apierrors.NewTimeoutError("later", 1), true},
		{"it was not stored", false, errors.New("the connection was cut"), false},
		{"it was refused", false, refusal, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			w.stale = true
			w.object("Person", "ada", person())
			w.object("Person", "byron", named("ada"))
			w.answers(test.isStored, test.failure)
			_, _ = w.try("Person", "ada")
			if w.recorded("Person", "ada").Owned != test.isStored {
				t.Fatalf("the claim is %+v", w.recorded("Person", "ada"))
			}
			owner, other := "byron", "ada"
			if test.isOwner {
				owner, other = other, owner
			}
			w.pass("Person", "byron")
			if isOwner := w.condition("Person", "byron", reconciler.Ready).Reason != reconciler.OwnedByAnother; isOwner == test.isOwner {
				t.Errorf("at first the other object is %+v", w.condition("Person", "byron", reconciler.Ready))
			}
			for _, w.stale = range []bool{true, false} {
				w.pass("Person", "ada")
				w.pass("Person", "byron")
			}
			w.wants("Person", owner, "True", reconciler.Succeeded)
			w.wants("Person", other, "False", reconciler.OwnedByAnother)
		})
	}
}

// TestTwoObjectsDoNotWaitForEachOther covers an object with an earlier claim that this process
// does not know, while it sees another object claim the resource.
func TestTwoObjectsDoNotWaitForEachOther(t *testing.T) {
	w := newWorld(t)
	w.stale = true
	w.object("Person", "ada", person())
	w.object("Person", "byron", named("ada"))
	w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
	w.pass("Person", "ada")
	w.restart() // so that no process has the claim of ada in memory, and the cache does not show it
	w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
	w.pass("Person", "byron")
	if !w.recorded("Person", "ada").Owned || !w.recorded("Person", "byron").Owned {
		t.Fatal("they do not both claim it")
	}
	w.stale = false
	for range 2 {
		w.pass("Person", "byron")
		w.pass("Person", "ada")
	}
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.wants("Person", "byron", "False", reconciler.OwnedByAnother)
	w.delete("Person", "byron")
	w.pass("Person", "byron")
	if !w.isGone("Person", "byron") || w.cloud.Get(ada) == nil {
		t.Error("the resource of the first object is deleted with the second")
	}
}

// TestOwnersStayWhenProviderLearns covers a provider that begins or ceases to identify
// resources. Earlier claims still count.
func TestOwnersStayWhenProviderLearns(t *testing.T) {
	for _, test := range []struct {
		reason     string
		poor, then bool // whether the provider can do no more than one of version 1
		isBegun    bool // the first object has a create of unknown outcome without an observation
	}{
		{"from version 1 to 2", true, false, false},
		{"from version 1 to 2, with a create that was begun", true, false, true},
		{"from version 2 to 1", false, true, false},
		{"from version 2 to 1, with a create that was begun", false, true, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			tells := func(poor bool) {
				if poor {
					w.cloud.Poor()
				} else {
					w.cloud.Rich()
				}
			}
			tells(test.poor)
			w.object("Person", "ada", person(), annotation.Adopt, "true")
			if test.isBegun {
				w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
			}
			w.pass("Person", "ada")
			w.object("Person", "other", named("ADA"), annotation.Adopt, "true")
			w.pass("Person", "other")
			w.wants("Person", "other", "False", reconciler.OwnedByAnother)
			tells(test.then)
			for range 2 {
				w.restart()
				w.pass("Person", "other")
				w.wants("Person", "other", "False", reconciler.OwnedByAnother)
				w.pass("Person", "ada")
				w.wants("Person", "ada", "True", reconciler.Succeeded)
			}
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
				t.Errorf("outside are %v", w.cloud.IDs())
			}
		})
	}
}

// TestTenantsStayApartWhenProviderLearns covers two tenants with resources of one name, while
// the provider begins or ceases to identify resources.
func TestTenantsStayApartWhenProviderLearns(t *testing.T) {
	for _, poor := range []bool{true, false} {
		w := newWorld(t)
		tenants(w, "a", "b")
		if poor {
			w.cloud.Poor()
		}
		w.there("Person", "ada", person(), annotation.Adopt, "true")
		w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
		w.passThere("Person", "ada")
		if poor {
			w.cloud.Rich()
		} else {
			w.cloud.Poor()
		}
		w.restart()
		made(w)
		w.wants("Person", "ada", "True", reconciler.Succeeded)
	}
}
