package reconciler_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestDeletionMissesAcceptedCreate covers a create that certainly takes effect, but whose
// resource is not known, so that the claim has no identifier. When the object is deleted, the
// observation lags behind. The object waits for a later observation.
func TestDeletionMissesAcceptedCreate(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		w := newWorld(t)
		w.cloud.Poor()
		w.object("Person", "ada", person())
		w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
		w.pass("Person", "ada")
		w.later = time.Minute // so that the claim is older than lag
		w.cloud.Before(nil)
		w.cloud.After(applyFails(effect.Certain, v2.Reason_REASON_TRANSIENT))
		w.pass("Person", "ada")
		w.cloud.After(nil)
		if m := w.recorded("Person", "ada"); m.ID != "" || m.Sent == nil || !m.Sent.Accepted {
			t.Fatalf("it remembers %+v", m)
		}
		if restarts {
			w.restart()
		}
		w.cloud.Stale(1)
		w.delete("Person", "ada")
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.Deleting)
		w.pass("Person", "ada")
		if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
			t.Errorf("restarts %t: the object is gone %t, outside are %v", restarts, w.isGone("Person", "ada"), w.cloud.IDs())
		}
	}
}

// TestReplacementAfterLook covers another client that replaces a resource after an
// observation and before the correction of drift. The API has no UIDs. Because of the entity tag,
// the call has no effect.
func TestReplacementAfterLook(t *testing.T) {
	w := newWorld(t)
	w.cloud.Poor()
	made(w)
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["location"] = "elsewhere"
	})
	w.cloud.Meanwhile("Observe", func() {
		w.cloud.Remove(ada)
		w.cloud.Put(ada, byron)
	})
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", "Conflict")
	if n := len(w.cloud.Calls("Apply")); n != 1 {
		t.Errorf("it was applied %d times", n)
	}
	w.isByron(ada)
}
