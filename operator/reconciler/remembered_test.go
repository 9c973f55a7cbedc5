package reconciler_test

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestProcessRemembersClaimsOnly is a table over the ends of an object, after which nothing
// about it may be in memory.
func TestProcessRemembersClaimsOnly(t *testing.T) {
	for _, test := range []struct {
		reason string
		drive  func(*world)
		want   int
	}{
		{"a resource that was made", func(w *world) { made(w) }, 1},
		{"a create of unknown outcome", func(w *world) { w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT); made(w) }, 1},
		{"a create that was refused", func(w *world) { w.failsOnce("Apply", effect.None, v2.Reason_REASON_INVALID); made(w) }, 0},
		{"a foreign resource", func(w *world) { w.cloud.Put(ada, byron); made(w) }, 0},
		{"a resource that is looked at", func(w *world) { w.cloud.Put(ada, byron); made(w, annotation.ReconcilePolicy, "observe") }, 0},
		{"a look that failed", func(w *world) { w.cloud.Before(failing("Observe", v2.Reason_REASON_TRANSIENT)); made(w) }, 0},
		{"a resource that was deleted", func(w *world) { made(w); w.delete("Person", "ada"); w.pass("Person", "ada") }, 0},
		{"a resource that was let go", func(w *world) {
			made(w, annotation.ReconcilePolicy, string(annotation.Detach))
			w.delete("Person", "ada")
			w.pass("Person", "ada")
		}, 0},
		{"an object that another client has let go", func(w *world) {
			made(w)
			w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.SetFinalizers(nil) })
			w.delete("Person", "ada")
			w.pass("Person", "ada")
		}, 0},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			test.drive(w)
			if n := w.options.Claims.Len(); n != test.want {
				t.Errorf("%d claims are remembered, want %d", n, test.want)
			}
		})
	}
}

// TestSentResourceCannotBeLookedFor covers an observation that fails, by which the operator
// compares the resource with the request after the spec has changed.
func TestSentResourceCannotBeLookedFor(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.failsOnce("Apply", effect.Certain, v2.Reason_REASON_TRANSIENT)
	w.cloud.After(func(c fakeprovider.Call) error {
		if c.Verb == "Apply" {
			return errors.New("the connection was cut")
		}
		return nil
	})
	w.pass("Person", "ada")
	w.cloud.After(nil)
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
	w.restart()
	looks := 0
	w.cloud.Before(func(c fakeprovider.Call) error {
		if c.Verb == "Observe" {
			if looks++; looks == 2 {
				return fakeprovider.Fail(v2.Reason_REASON_TRANSIENT, "no", 0)
			}
		}
		return nil
	})
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "Failed")
	if calls := w.mutations(); len(calls) > 0 {
		t.Errorf("it made the calls %+v", calls)
	}
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if w.cloud.Creates(ada) != 1 {
		t.Errorf("it was made %d times", w.cloud.Creates(ada))
	}
}

// TestWriteThatFailsOnce makes each write of an object fail once without an effect. The same
// pass or the next one continues.
func TestWriteThatFailsOnce(t *testing.T) {
	for fails := range 4 {
		w := newWorld(t)
		w.object("Person", "ada", person())
		n := 0
		w.writes = func(do func() error) error {
			if n++; n == fails+1 {
				return apierrors.NewServiceUnavailable("not now")
			}
			return do()
		}
		for range 2 {
			_, _ = w.try("Person", "ada")
		}
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if w.cloud.Creates(ada) != 1 || len(w.cloud.Calls("Apply")) != 1 {
			t.Errorf("write %d: it made the calls %+v", fails, w.cloud.Calls("Apply"))
		}
	}
}
