package reconciler_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestCreateThatIsOverdueMayTakeEffect deletes an object whose create runs for hours. The create
// makes the resource again a minute after its deletion. The object is not released meanwhile.
func TestCreateThatIsOverdueMayTakeEffect(t *testing.T) {
	w := newWorld(t)
	w.cloud.Nameless()
	w.cloud.Slow(1_000_000, false)
	made(w)
	sent := w.recorded("Person", "ada").Sent
	visible := fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: sent.Version, Body: []byte(sent.Body), LastChange: v1.Change_CHANGE_RUNNING}
	w.cloud.Put(ada, visible)
	w.cloud.Slow(0, false)
	w.later = 2 * time.Hour
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if w.cloud.Get(ada) != nil {
		t.Fatalf("it is not deleted: %+v", w.condition("Person", "ada", reconciler.Ready))
	}
	w.cloud.Put(ada, visible)
	for range 40 {
		if w.isGone("Person", "ada") {
			break
		}
		w.later += 11 * time.Second
		w.pass("Person", "ada")
	}
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
		t.Errorf("the object is gone %t, outside are %v", w.isGone("Person", "ada"), w.cloud.IDs())
	}
}

// TestCreateBeforeOneThatHasFailed covers a create of unknown outcome, a next one whose
// operation fails, and a third one that is refused. The first can still take effect, and its
// resource belongs to the object.
func TestCreateBeforeOneThatHasFailed(t *testing.T) {
	w := newWorld(t)
	w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
	w.object("Person", "ada", person())
	w.pass("Person", "ada")
	first := w.recorded("Person", "ada").Sent
	w.cloud.Before(nil)
	w.cloud.Slow(100, false)
	w.edit("Person", "ada", elsewhere)
	w.pass("Person", "ada")
	w.cloud.Slow(0, false)
	w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_INVALID})
	w.pass("Person", "ada")
	w.later = time.Minute
	w.cloud.Before(applyFails(effect.None, v2.Reason_REASON_INVALID))
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["location"] = "north"
		u.SetGeneration(3)
	})
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: first.Version, Body: []byte(first.Body)})
	w.later = 2 * time.Minute
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
		t.Errorf("the object is gone %t, outside are %v", w.isGone("Person", "ada"), w.cloud.IDs())
	}
}
