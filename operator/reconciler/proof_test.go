package reconciler_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// isOut changes the resource ada in the external API.
func (w *world) isOut(change func(*fakeprovider.Resource)) {
	w.Helper()
	r := *w.cloud.Get(ada)
	change(&r)
	w.cloud.Put(ada, r)
}

// provisioning makes ada report a state of its last change; empty for none.
func (w *world) provisioning(state string) {
	w.Helper()
	w.isOut(func(r *fakeprovider.Resource) {
		if r.Facts = nil; state != "" {
			r.Facts = []*v1.Fact{{Type: "Provisioned", Truth: v1.Truth_TRUTH_FALSE, Reason: state}}
		}
	})
}

// TestHalfMadeResourceIsApplied covers a create of unknown outcome whose resource has all values
// that were sent, while its creation has failed. The object is not Ready without another call.
func TestHalfMadeResourceIsApplied(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.cloud.After(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
	w.pass("Person", "ada")
	w.provisioning("Failed")
	w.cloud.After(nil)
	w.cloud.Before(failing("Apply", v2.Reason_REASON_TRANSIENT))
	w.restart()
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "Failed")
	if n := len(w.cloud.Calls("Apply")); n != 1 {
		t.Errorf("it was applied %d times", n)
	}
	w.provisioning("")
	w.cloud.Before(nil)
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if w.cloud.Creates(ada) != 1 {
		t.Errorf("it was made %d times", w.cloud.Creates(ada))
	}
}

// TestRunningOperationsAreNotSentAgain covers resources that have all values of the object while
// their last change runs: nothing shows its operation to the operator. It waits for the end without
// a call, and repeats the call only if the change fails.
func TestRunningOperationsAreNotSentAgain(t *testing.T) {
	unknown := applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT)
	ways := map[string]func(*world){
		"a create without an answer": func(w *world) {
			w.object("Person", "ada", person())
			w.cloud.After(unknown)
			w.pass("Person", "ada")
			w.cloud.After(nil)
			w.restart()
		},
		"a create whose operation is lost": func(w *world) {
			w.cloud.Slow(100, false)
			w.object("Person", "ada", person())
			w.pass("Person", "ada")
			w.cloud.Lose()
			w.cloud.Slow(0, false)
		},
		"a change without an answer": func(w *world) {
			made(w)
			w.cloud.After(unknown)
			w.edit("Person", "ada", elsewhere)
			w.pass("Person", "ada")
			w.cloud.After(nil)
		},
		"an adopted resource": func(w *world) {
			made(w)
			w.annotate("Person", "ada", annotation.ReconcilePolicy, "detach-on-delete")
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			w.object("Person", "ada", person(), annotation.Adopt, "true")
		},
	}
	for name, begins := range ways {
		for _, fails := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, fails %t", name, fails), func(t *testing.T) {
				w := newWorld(t)
				begins(w)
				w.provisioning("Updating")
				w.cloud.Forget()
				for range 3 {
					w.pass("Person", "ada")
				}
				w.wants("Person", "ada", "False", reconciler.NotProvisioned)
				if n := len(w.cloud.Calls("Apply")); n != 0 {
					t.Errorf("while the change runs, it was applied %d times", n)
				}
				w.provisioning("")
				if fails {
					w.provisioning("Failed")
					w.pass("Person", "ada")
					w.later += time.Hour // longer than a resync
				}
				w.pass("Person", "ada")
				if n := len(w.cloud.Calls("Apply")); n > 0 != fails {
					t.Errorf("after the change, it was applied %d times", n)
				}
				if !fails {
					w.wants("Person", "ada", "True", reconciler.Succeeded)
				}
			})
		}
	}
}

// TestAcceptedCreateProves covers an accepted create that fails and leaves an incomplete
// resource. It belongs to the object: the next process changes or deletes it.
func TestAcceptedCreateProves(t *testing.T) {
	for _, deletes := range []bool{false, true} {
		w := newWorld(t)
		w.cloud.Slow(1, false)
		w.object("Person", "ada", person())
		w.pass("Person", "ada")
		w.cloud.Slow(0, false)
		w.cloud.Put(ada, byron)
		w.cloud.Before(failing("Poll", v2.Reason_REASON_INVALID))
		if deletes {
			w.delete("Person", "ada")
			w.cloud.After(failing("Delete", v2.Reason_REASON_TRANSIENT))
		}
		w.pass("Person", "ada")
		w.cloud.Before(nil)
		w.cloud.After(nil)
		w.restart()
		if deletes {
			w.later = time.Minute // reads may lag for less
		}
		w.pass("Person", "ada")
		if deletes {
			if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
				t.Errorf("outside are %v", w.cloud.IDs())
			}
			continue
		}
		w.wants("Person", "ada", "True", reconciler.Succeeded)
	}
}

// TestClaimsEnd covers a create of unknown outcome, and a resource equal to it that appears long
// after it. Another client may have made that, or the create while no process ran: only the user
// can tell. A resource that differs belongs to another client.
func TestClaimsEnd(t *testing.T) {
	for _, equals := range []bool{true, false} {
		w := newWorld(t)
		w.object("Person", "ada", person())
		w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
		w.pass("Person", "ada")
		sent := w.recorded("Person", "ada").Sent
		w.later = 2 * time.Hour
		appears := byron
		if equals {
			appears = fakeprovider.Resource{Version: sent.Version, Body: []byte(sent.Body)}
		}
		w.cloud.Put(ada, appears)
		w.restart()
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.Exists)
		w.delete("Person", "ada")
		w.pass("Person", "ada")
		if equals == w.isGone("Person", "ada") || w.cloud.Get(ada) == nil {
			t.Errorf("equals %t: outside are %v: %s", equals, w.cloud.IDs(), w.reported())
		}
		if !equals {
			continue
		}
		w.later = 48 * time.Hour
		w.restart()
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.Exists)
		w.annotate("Person", "ada", annotation.Adopt, "true")
		w.pass("Person", "ada")
		if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
			t.Errorf("the user adopts it, and outside are %v: %s", w.cloud.IDs(), w.reported())
		}
	}
}

// TestForgedAgeIsWorthNothing covers a client that annotates a younger object with an older
// claim.
func TestForgedAgeIsWorthNothing(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	key := w.recorded("Person", "ada").Target.Key
	w.object("Person", "augusta", named("ada"))
	w.edit("Person", "augusta", func(u *unstructured.Unstructured) {
		u.SetCreationTimestamp(metav1.NewTime(time.Now().Add(time.Hour)))
		u.SetAnnotations(map[string]string{annotation.Claim: `{"uid":"` + string(u.GetUID()) + `","key":"` + key + `","since":"1970-01-01T00:00:00Z"}`})
	})
	w.pass("Person", "augusta")
	w.wants("Person", "augusta", "False", reconciler.OwnedByAnother)
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}

// TestIdentifierBesideItsClaim covers a user who changes only the annotation with the
// identifier.
func TestIdentifierBesideItsClaim(t *testing.T) {
	w := newWorld(t)
	made(w)
	other := ada + "-other"
	w.cloud.Put(other, byron)
	w.annotate("Person", "ada", annotation.ID, other)
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.PlaceChanged)
	if calls := w.mutations(); len(calls) > 0 {
		t.Errorf("there were %v", calls)
	}
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if w.cloud.Get(ada) != nil || w.cloud.Get(other) == nil {
		t.Errorf("outside are %v", w.cloud.IDs())
	}
}

// TestCredentialsOfNamespaceBefore covers a namespace that another client deletes and creates
// again, with an object that claims a resource of the first namespace.
func TestCredentialsOfNamespaceBefore(t *testing.T) {
	w := newWorld(t)
	w.cloud.Secured()
	w.secret("strata-credentials", "AZURE_TENANT_ID", "a")
	made(w)
	home := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: namespace, Finalizers: []string{"kubernetes"}, CreationTimestamp: metav1.NewTime(time.Now().Add(time.Hour)),
	}}
	if err := w.client.Create(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	if err := w.client.Delete(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	w.secret("strata-credentials")
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) == nil {
		t.Errorf("outside are %v", w.cloud.IDs())
	}
}
