package reconciler_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestTwoCreatesThatDifferInSecret covers two creates of unknown outcome with equal visible
// values, the first of which takes effect. The resource gets the present secret of the object,
// with marks and without.
func TestTwoCreatesThatDifferInSecret(t *testing.T) {
	for _, isMarked := range []bool{false, true} {
		w := newWorld(t)
		w.scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "crm.example.com", Version: "v20180809", Kind: "Person"}, &secretive{})
		spec := person()
		spec["originalVersion"] = "v20180809"
		w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
		w.object("Person", "ada", spec)
		w.pass("Person", "ada")
		sent := w.recorded("Person", "ada").Sent
		w.edit("Person", "ada", func(u *unstructured.Unstructured) {
			u.Object["spec"].(map[string]any)["properties"].(map[string]any)["legalName"] = "another name"
		})
		w.pass("Person", "ada")
		w.cloud.Before(nil)
		first := fakeprovider.Resource{Version: sent.Version, Body: []byte(sent.Body), Secrets: map[string]string{"properties.legalName": "Augusta Ada King"}}
		if isMarked {
			w.cloud.Marked()
			first.Mark = "uid-of-ada default/ada"
		}
		w.cloud.Put(ada, first)
		w.restart()
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if is := w.cloud.Get(ada).Secrets["properties.legalName"]; is != "another name" {
			t.Errorf("marked %t: it is Ready, and the secret outside is %q", isMarked, is)
		}
		if w.cloud.Creates(ada) != 0 {
			t.Errorf("marked %t: it was made again", isMarked)
		}
	}
}

// TestClockThatWasWrong covers a clock that is a day ahead during a create of unknown outcome.
// The deletion waits no longer than with a correct clock.
func TestClockThatWasWrong(t *testing.T) {
	w := newWorld(t)
	w.later = 24 * time.Hour
	w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
	made(w)
	w.later = 0
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.Deleting)
	w.later = 4 * time.Minute
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.Deleting)
	w.later = 6 * time.Minute
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") {
		t.Errorf("it is still there: %+v", w.condition("Person", "ada", reconciler.Ready))
	}
}

// remakes is a table over changes without a known result that create the resource again, after
// another client has deleted it. The API has UIDs, and no entity tags.
var remakes = map[string]func(*world){
	"a call is cut off": func(w *world) {
		w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
		w.pass("Person", "ada")
	},
	"the process ends before an answer": func(w *world) {
		w.cloud.Before(func(c fakeprovider.Call) error {
			if c.Verb != "Apply" {
				return nil
			}
			w.writes = func(func() error) error { return errForbidden }
			return fakeprovider.FailAfter(effect.Possible, v2.Reason_REASON_TRANSIENT, "the process has ended")
		})
		_, _ = w.try("Person", "ada")
		w.writes = nil
		w.cloud.Before(nil)
		w.restart()
	},
	"an operation is lost": func(w *world) {
		w.cloud.Slow(9, false)
		w.pass("Person", "ada")
		w.cloud.Slow(0, false)
		w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_NOT_FOUND, "Apply": v2.Reason_REASON_THROTTLED})
		w.pass("Person", "ada")
		w.cloud.Before(nil)
	},
	"an operation has failed": func(w *world) {
		w.cloud.Slow(9, false)
		w.pass("Person", "ada")
		w.cloud.Slow(0, false)
		w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_INVALID, "Apply": v2.Reason_REASON_THROTTLED})
		w.pass("Person", "ada")
		w.cloud.Before(nil)
	},
}

// TestChangeThatMakesResourceAgain covers such a change. The new resource has another UID, so
// that nothing proves that the object has made it. The operator neither changes nor deletes the
// resource, and keeps the object, until the user decides. It does not touch a resource that
// certainly differs from the request.
func TestChangeThatMakesResourceAgain(t *testing.T) {
	for reason, remakes := range remakes {
		for _, deletes := range []bool{true, false} {
			for decision, decide := range map[string]func(*world){
				"delete": func(w *world) { w.annotate("Person", "ada", annotation.Adopt, "true") },
				"leave":  func(w *world) { w.annotate("Person", "ada", annotation.ReconcilePolicy, string(annotation.Detach)) },
			} {
				t.Run(reason, func(t *testing.T) {
					w := newWorld(t)
					w.cloud.Untagged()
					made(w)
					came := fakeprovider.Resource{Version: w.cloud.Get(ada).Version, Body: w.cloud.Get(ada).Body}
					w.cloud.Put(ada, byron)
					remakes(w)
					w.cloud.Remove(ada)
					if deletes {
						w.delete("Person", "ada")
						w.later = time.Minute
						w.pass("Person", "ada")
						if reason != "an operation has failed" {
							w.wants("Person", "ada", "False", reconciler.Deleting)
						} else if !w.isGone("Person", "ada") {
							t.Error("the deletion waits for a change that has failed")
						}
					}
					if w.isGone("Person", "ada") {
						return
					}
					w.cloud.Put(ada, came)
					w.cloud.Forget()
					for range 3 {
						w.restart()
						w.later += 3 * time.Minute
						w.pass("Person", "ada")
						w.wants("Person", "ada", "False", reconciler.Exists)
					}
					if n := len(w.mutations()); n != 0 {
						t.Errorf("there were %d calls that change something", n)
					}
					if !deletes {
						w.delete("Person", "ada")
					}
					decide(w)
					w.pass("Person", "ada")
					w.later += 10 * time.Minute
					w.pass("Person", "ada")
					if !w.isGone("Person", "ada") || (w.cloud.Get(ada) != nil) != (decision == "leave") {
						t.Errorf("the object is gone %t, and outside are %v", w.isGone("Person", "ada"), w.cloud.IDs())
					}
				})
			}
		}
	}
}

// TestResourcesThatNoChangeMade covers another client that creates a resource after a change
// without a known result. The resource differs from the request, or has the mark of the object.
func TestResourcesThatNoChangeMade(t *testing.T) {
	for reason, remakes := range remakes {
		for _, isMarked := range []bool{true, false} {
			t.Run(reason, func(t *testing.T) {
				w := newWorld(t)
				w.cloud.Untagged()
				if isMarked {
					w.cloud.Marked()
				}
				made(w)
				bears := w.cloud.Get(ada).Mark
				changed := byron
				changed.Mark = bears
				w.cloud.Put(ada, changed)
				remakes(w)
				w.cloud.Remove(ada)
				other := byron
				other.Mark = bears
				w.cloud.Put(ada, other)
				w.delete("Person", "ada")
				w.pass("Person", "ada")
				w.later = 10 * time.Minute
				w.pass("Person", "ada")
				if !w.isGone("Person", "ada") || (w.cloud.Get(ada) == nil) != isMarked {
					t.Errorf("marked %t: the object is gone %t, and outside are %v: %s", isMarked, w.isGone("Person", "ada"), w.cloud.IDs(), w.reported())
				}
			})
		}
	}
}

// TestMissedResourceGetsChangedSecret covers a changed secret, an observation that misses the
// resource, and a create that is refused. The resource gets the secret, with marks and without.
func TestMissedResourceGetsChangedSecret(t *testing.T) {
	for _, isMarked := range []bool{false, true} {
		w := newWorld(t)
		w.scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "crm.example.com", Version: "v20180809", Kind: "Person"}, &secretive{})
		if isMarked {
			w.cloud.Marked()
		}
		spec := person()
		spec["originalVersion"] = "v20180809"
		w.object("Person", "ada", spec)
		w.pass("Person", "ada")
		w.edit("Person", "ada", func(u *unstructured.Unstructured) {
			u.Object["spec"].(map[string]any)["properties"].(map[string]any)["legalName"] = "another name"
		})
		w.cloud.Stale(1)
		w.pass("Person", "ada")
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if is := w.cloud.Get(ada).Secrets["properties.legalName"]; is != "another name" {
			t.Errorf("marked %t: it is Ready, and the secret outside is %q", isMarked, is)
		}
	}
}
