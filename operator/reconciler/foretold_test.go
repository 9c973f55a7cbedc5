package reconciler_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestForecastOfOverdueOperation covers operations that never end, with an observation that
// has the identifier of the future resource, as those of strata-arm have. It does not prove that
// the resource exists.
func TestForecastOfOverdueOperation(t *testing.T) {
	t.Run("nothing was made", func(t *testing.T) {
		w := newWorld(t)
		w.cloud.Foretells()
		w.cloud.Slow(1_000_000, false)
		made(w)
		w.later = 25 * time.Hour
		w.cloud.Forget()
		w.pass("Person", "ada")
		if m, got := w.recorded("Person", "ada"), w.reported(); m.ID != "" || strings.Contains(got, reconciler.Created) {
			t.Errorf("nothing is there, and it remembers %+v: %s", m, got)
		}
		if len(w.cloud.Calls("Observe")) == 0 {
			t.Error("nobody has looked")
		}
	})
	for _, marked := range []bool{false, true} {
		w := newWorld(t)
		w.cloud.Foretells()
		if w.cloud.Untagged(); marked {
			w.cloud.Marked()
		}
		made(w)
		w.cloud.Slow(1_000_000, false)
		w.edit("Person", "ada", elsewhere)
		w.pass("Person", "ada") // begins a change that never ends
		w.cloud.Remove(ada)
		w.cloud.Put(ada, byron) // another client creates its own
		if marked {
			w.isOut(func(r *fakeprovider.Resource) { r.Mark = "another-uid default/byron" })
		}
		w.cloud.Slow(0, false)
		w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
		w.later = 2 * time.Hour
		w.pass("Person", "ada")
		w.isByron(ada)
		if got := w.condition("Person", "ada", reconciler.Ready); got.Status == "True" {
			t.Errorf("it says %+v", got)
		}
	}
}
