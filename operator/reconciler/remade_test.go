package reconciler_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestTwoCreatesThatDifferInASecret has two creates be cut off that differ in nothing that the API
// shows, and the first take effect. The resource gets the secret that the object has now, with
// marks and without.
func TestTwoCreatesThatDifferInASecret(t *testing.T) {
	for _, isMarked := range []bool{false, true} {
		w := newWorld(t)
		w.scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "crm.example.com", Version: "v20180809", Kind: "Person"}, &secretive{})
		spec := person()
		spec["originalVersion"] = "v20180809"
		w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
		w.object("Person", "ada", spec)
		w.pass("Person", "ada")
		sent := w.marks("Person", "ada").Sent
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

// TestAClockThatWasWrong has the clock be a day ahead while a create is cut off. The deletion waits
// no longer than with a clock that is right.
func TestAClockThatWasWrong(t *testing.T) {
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
