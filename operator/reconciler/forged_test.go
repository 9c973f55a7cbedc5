package reconciler_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// editThere changes an object in the other namespace.
func (w *world) editThere(kind, name string, edit func(*unstructured.Unstructured)) {
	w.Helper()
	u := w.getThere(kind, name)
	edit(u)
	if err := w.client.Update(w.Context(), u); err != nil {
		w.Fatal(err)
	}
}

// forges creates an object in the other namespace that is older than any other and claims ada.
func (w *world) forges(name, claim string, pairs ...string) {
	w.Helper()
	w.editThere("Person", name, func(u *unstructured.Unstructured) {
		u.SetCreationTimestamp(metav1.NewTime(time.Now().Add(-time.Hour)))
		annotations := map[string]string{annotation.Claim: fmt.Sprintf(`{"uid":"%s","since":"1970-01-01T00:00:00Z",%s}`, u.GetUID(), claim)}
		for i := 0; i+1 < len(pairs); i += 2 {
			annotations[pairs[i]] = pairs[i+1]
		}
		u.SetAnnotations(annotations)
	})
}

// deniesB makes the external API refuse calls with the token b.
func (w *world) deniesB(reason v2.Reason) {
	w.cloud.Before(func(c fakeprovider.Call) error {
		if c.Token == "b" {
			return fakeprovider.FailAfter(v2.Effect_EFFECT_NONE, reason, "no")
		}
		return nil
	})
}

// TestForgedClaimOwnsNothing is a table over claims that clients of another namespace forge to
// the resource of an object. The object keeps the resource before and after a restart, in any
// order of passes, and until it is deleted.
func TestForgedClaimOwnsNothing(t *testing.T) {
	key := `"key":"` + strings.ToLower(ada) + `"`
	full := `"id":"` + ada + `",` + key
	for _, test := range []struct {
		reason      string
		there       string // the tenant of the other namespace
		spec        map[string]any
		claim       string
		annotations []string
		denies      v2.Reason // the error of calls with the credentials of the other namespace
	}{
		{reason: "a key alone", there: "b", spec: named("else"), claim: key},
		{reason: "a key alone, of the same tenant", there: "a", spec: named("else"), claim: key},
		{reason: "the key and the tenant", there: "b", spec: named("else"), claim: `"scope":{"tenant":"a"},` + key},
		{reason: "an object that only looks", there: "b", spec: named("else"), claim: full, annotations: []string{annotation.ReconcilePolicy, "observe"}},
		{reason: "the identifier, too", there: "b", spec: person(), claim: full, annotations: []string{annotation.ID, ada}},
		{reason: "all, and the tenant", there: "b", spec: person(), claim: `"scope":{"tenant":"a"},` + full, annotations: []string{annotation.ID, ada}},
		{reason: "credentials that say that they are of the tenant", there: "a", spec: person(), claim: `"scope":{"tenant":"a"},` + full, annotations: []string{annotation.ID, ada}, denies: v2.Reason_REASON_UNAUTHORIZED},
		{reason: "credentials that tell nothing", there: "a", spec: person(), claim: full, annotations: []string{annotation.ID, ada}, denies: v2.Reason_REASON_TRANSIENT},
		{reason: "credentials that are not there", there: "a", spec: person(), claim: full, annotations: []string{annotation.ID, ada, annotation.Credentials, "none"}},
		{reason: "the place", there: "b", spec: named("else"), claim: full, annotations: []string{annotation.Place, `{"name":"ada"}`}},
	} {
		for _, isFirst := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, and the forger has its pass first: %t", test.reason, isFirst), func(t *testing.T) {
				w := newWorld(t)
				w.secret("strata-credentials", "AZURE_TENANT_ID", "a")
				w.secretThere("AZURE_TENANT_ID", test.there, "AZURE_ACCESS_TOKEN", "b")
				if test.denies != 0 {
					w.deniesB(test.denies)
				}
				made(w)
				w.there("Person", "old", test.spec)
				w.forges("old", test.claim, test.annotations...)
				for _, restarts := range []bool{false, true} {
					if restarts {
						w.restart()
					}
					if isFirst {
						w.passThere("Person", "old")
					}
					w.pass("Person", "ada")
					w.wants("Person", "ada", "True", reconciler.Succeeded)
				}
				w.delete("Person", "ada")
				w.pass("Person", "ada")
				if w.cloud.Get(ada) != nil || !w.isGone("Person", "ada") {
					t.Errorf("the resource is left outside: %s", w.reported())
				}
			})
		}
	}
}

// TestForgedClaimDeletesNothingOfOthers covers two namespaces that share the credentials of the
// operator. An object claims the resource of an object in the other namespace, and is deleted.
func TestForgedClaimDeletesNothingOfOthers(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		w := newWorld(t)
		made(w)
		w.there("Person", "old", named("else"))
		w.passThere("Person", "old")
		w.forges("old", `"id":"`+ada+`","key":"`+strings.ToLower(ada)+`"`, annotation.ID, ada)
		if restarts {
			w.restart()
		}
		w.cloud.Forget()
		if err := w.client.Delete(w.Context(), w.getThere("Person", "old")); err != nil {
			t.Fatal(err)
		}
		w.passThere("Person", "old")
		if deletes := w.cloud.Calls("Delete"); w.cloud.Get(ada) == nil || len(deletes) > 0 {
			t.Errorf("restarted: %t: the forged claim deletes: %+v", restarts, deletes)
		}
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
	}
}

// TestForgedClaimBlocksNoOtherObject covers a forged claim to a resource that does not
// exist yet.
func TestForgedClaimBlocksNoOtherObject(t *testing.T) {
	t.Run("by an object that means another one", func(t *testing.T) {
		w := newWorld(t)
		w.there("Person", "old", named("else"))
		w.forges("old", `"id":"`+ada+`","key":"`+strings.ToLower(ada)+`"`, annotation.ID, ada)
		made(w)
		w.wants("Person", "ada", "True", reconciler.Succeeded)
	})
	for reason, waits := range map[v2.Reason]bool{v2.Reason_REASON_UNAUTHORIZED: false, v2.Reason_REASON_TRANSIENT: true} {
		w := newWorld(t)
		w.secretThere("AZURE_ACCESS_TOKEN", "b")
		w.deniesB(reason)
		w.there("Person", "old", person())
		w.forges("old", `"id":"`+ada+`","key":"`+strings.ToLower(ada)+`"`, annotation.ID, ada)
		w.object("Person", "ada", person())
		if waits {
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
			w.later = 90 * time.Minute // longer than any object waits for such a claim
		}
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
	}
}

// TestEarlierOwnerInAnotherNamespace covers an object in another namespace that owns a
// resource, or is about to create it again. A new object appears that may adopt it.
func TestEarlierOwnerInAnotherNamespace(t *testing.T) {
	t.Run("whose spec means another one by now", func(t *testing.T) {
		w := newWorld(t)
		w.there("Person", "ada", person())
		w.passThere("Person", "ada")
		w.editThere("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["azureName"] = "else" })
		w.restart()
		made(w, annotation.Adopt, "true")
		w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
	})
	for _, isThere := range []bool{true, false} {
		w := newWorld(t)
		tenants(w, "a", "a")
		w.there("Person", "ada", person())
		w.passThere("Person", "ada")
		if !isThere {
			w.cloud.Remove(ada)
		}
		w.restart()
		w.object("Person", "ada", person(), annotation.Adopt, "true")
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
		w.cloud.Forget()
		for range 5 {
			w.pass("Person", "ada")
		}
		if calls := w.cloud.Calls(""); len(calls) > 0 {
			t.Errorf("there: %t: while it waits, it makes the calls %+v", isThere, calls)
		}
		w.passThere("Person", "ada")
		if c := w.readyThere("Person", "ada"); c.Status != "True" {
			t.Errorf("there: %t: the owner is %+v", isThere, c)
		}
	}
}

// TestForgedClaimsCostFewCalls covers many forged claims to resources below one that is being
// deleted, and to one that an object claims.
func TestForgedClaimsCostFewCalls(t *testing.T) {
	const forged, most = 95, 10
	forge := func(w *world, kind string, spec map[string]any, id func(string) string) {
		w.secretThere("AZURE_ACCESS_TOKEN", "b")
		w.deniesB(v2.Reason_REASON_UNAUTHORIZED)
		for i := range forged {
			name := fmt.Sprint("n", i)
			w.there(kind, name, spec, annotation.Claim, `{"uid":"uid-there-of-`+name+`","id":"`+id(name)+`","key":"`+strings.ToLower(id(name))+`"}`, annotation.ID, id(name))
		}
	}
	bounded := func(t *testing.T, w *world, isDone func() bool) {
		t.Helper()
		looks := 0
		for range 2 * forged / most {
			w.cloud.Forget()
			result := w.pass("Person", "ada")
			n := 0
			for _, c := range w.cloud.Calls("Observe") {
				if c.Token == "b" {
					n++
				}
			}
			if looks += n; n > most {
				t.Fatalf("%d calls in one pass", n)
			}
			if isDone() {
				if looks != forged {
					t.Errorf("there were %d looks at %d claims", looks, forged)
				}
				return
			}
			if result.RequeueAfter > 2*time.Second {
				t.Fatalf("the next pass is after %v", result.RequeueAfter)
			}
		}
		t.Errorf("it is %+v", w.condition("Person", "ada", reconciler.Ready))
	}
	t.Run("a deletion", func(t *testing.T) {
		w := newWorld(t)
		made(w)
		forge(w, "PersonsNote", below(ada), func(name string) string { return ada + "/notes/" + name })
		w.delete("Person", "ada")
		bounded(t, w, func() bool { return w.isGone("Person", "ada") })
	})
	t.Run("a resource to be made", func(t *testing.T) {
		w := newWorld(t)
		forge(w, "Person", person(), func(string) string { return ada })
		w.object("Person", "ada", person())
		bounded(t, w, func() bool { return w.condition("Person", "ada", reconciler.Ready).Status == "True" })
	})
	t.Run("a resource that an object has", func(t *testing.T) {
		w := newWorld(t)
		w.object("Person", "ada", person())
		w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.SetCreationTimestamp(metav1.NewTime(time.Now().Add(time.Hour))) })
		w.pass("Person", "ada")
		forge(w, "Person", person(), func(string) string { return ada })
		for range 5 {
			w.cloud.Forget()
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			if n := len(w.cloud.Calls("Observe")); n > most+1 {
				t.Errorf("%d calls in one pass", n)
			}
		}
	})
}

// TestUnclearClaimsCostFewCalls covers forged claims about which the external API reports
// nothing. An object examines each once in ten seconds, and soon again only if it has not
// examined all of them.
func TestUnclearClaimsCostFewCalls(t *testing.T) {
	const forged = 12
	w := newWorld(t)
	w.secretThere("AZURE_ACCESS_TOKEN", "b")
	w.deniesB(v2.Reason_REASON_TRANSIENT)
	for i := range forged {
		name := fmt.Sprint("n", i)
		w.there("Person", name, person(), annotation.Claim, `{"uid":"uid-there-of-`+name+`","id":"`+ada+`","key":"`+strings.ToLower(ada)+`"}`, annotation.ID, ada)
	}
	w.object("Person", "ada", person())
	w.cloud.Forget()
	var pauses []time.Duration
	for range 4 {
		pauses = append(pauses, w.pass("Person", "ada").RequeueAfter)
	}
	looks := 0
	for _, c := range w.cloud.Calls("Observe") {
		if c.Token == "b" {
			looks++
		}
	}
	if looks != forged {
		t.Errorf("%d looks at %d claims", looks, forged)
	}
	if pauses[0] > 2*time.Second || pauses[1] < 5*time.Second {
		t.Errorf("the next passes are after %v", pauses)
	}
}

// TestClaimIsLookedAtAgain covers a claim of another namespace that its credentials prove only
// later, after a change of the object or a resync.
func TestClaimIsLookedAtAgain(t *testing.T) {
	for reason, change := range map[string]func(*world){
		"the object has changed": func(w *world) {
			w.editThere("PersonsNote", "first", func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"a": "b"}) })
		},
		"time has passed": func(w *world) { w.later = 11 * time.Minute },
	} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			made(w)
			w.secretThere("AZURE_ACCESS_TOKEN", "b")
			w.there("PersonsNote", "first", below(ada))
			w.passThere("PersonsNote", "first")
			w.cloud.Before(func(c fakeprovider.Call) error {
				if c.Token == "b" {
					return fakeprovider.Fail(v2.Reason_REASON_UNAUTHORIZED, "no", 0)
				}
				if c.Verb == "Delete" {
					return fakeprovider.Fail(v2.Reason_REASON_CONFLICT, "busy", 0)
				}
				return nil
			})
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", "Conflict")
			w.cloud.Before(nil)
			change(w)
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", "HasChildren")
		})
	}
}

// TestLaterOwnerDeletesNothingOfEarlier covers two objects with a claim, in two namespaces.
// The one with the later claim is deleted while the external API does not answer for the other
// one.
func TestLaterOwnerDeletesNothingOfEarlier(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		w := newWorld(t)
		w.secretThere("AZURE_ACCESS_TOKEN", "theirs")
		w.there("Person", "ada", person())
		w.passThere("Person", "ada") // the earlier
		w.cloud.Before(func(c fakeprovider.Call) error {
			if c.Token == "theirs" {
				return fakeprovider.Fail(v2.Reason_REASON_UNAUTHORIZED, "the secret has expired", 0)
			}
			return nil
		})
		made(w, annotation.Adopt, "true")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		w.cloud.Before(nil)
		w.later = 11 * time.Minute
		w.passThere("Person", "ada")
		if c := w.readyThere("Person", "ada"); c.Status != "True" {
			t.Fatalf("the earlier is %+v", c)
		}
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
		if restarts {
			w.restart()
		}
		w.later += 11 * time.Minute
		silence["calls fail"](w)
		w.delete("Person", "ada")
		w.pass("Person", "ada")
		if w.cloud.Get(ada) == nil {
			t.Errorf("restarts %t: the resource of the earlier object was deleted with the later one", restarts)
		}
	}
}

// TestLaterOwnerChangesNothingOfEarlier covers a change in the same situation.
func TestLaterOwnerChangesNothingOfEarlier(t *testing.T) {
	w := newWorld(t)
	w.secretThere("AZURE_ACCESS_TOKEN", "theirs")
	w.there("Person", "ada", person())
	w.passThere("Person", "ada") // the earlier
	w.cloud.Before(func(c fakeprovider.Call) error {
		if c.Token == "theirs" {
			return fakeprovider.Fail(v2.Reason_REASON_UNAUTHORIZED, "the secret has expired", 0)
		}
		return nil
	})
	spec := person()
	spec["location"] = "north"
	w.object("Person", "ada", spec, annotation.Adopt, "true")
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.later = 11 * time.Minute
	w.passThere("Person", "ada")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.OwnedByAnother)
	w.later += 11 * time.Minute
	silence["calls fail"](w)
	w.cloud.Forget()
	w.pass("Person", "ada")
	if calls := w.cloud.Calls("Apply"); len(calls) > 0 {
		t.Errorf("it has changed the resource of the earlier object: %+v", calls)
	}
}

// TestForgedChainOfCreatesCostsFewCalls covers a user who annotates an object with thousands of
// creates, each with another body.
func TestForgedChainOfCreatesCostsFewCalls(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	var chain *annotation.SentCreate
	for i := range 2000 {
		chain = &annotation.SentCreate{Digest: fmt.Sprint(i), Version: "1", Body: fmt.Sprintf(`{"a":%d}`, i), Before: chain}
	}
	forged, err := json.Marshal(chain)
	if err != nil {
		t.Fatal(err)
	}
	w.annotate("Person", "ada", annotation.Sent, string(forged))
	w.cloud.Put(ada, byron)
	w.restart()
	w.cloud.Forget()
	w.pass("Person", "ada")
	if n := len(w.cloud.Calls("Observe")); n == 0 || n > 10 {
		t.Errorf("%d calls in one pass", n)
	}
}
