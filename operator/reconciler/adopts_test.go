package reconciler_test

import (
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestAdoptingAfterUnknownCreate covers a user who adopts the resource of another client after
// a create of unknown outcome. The operator changes the resource to equal the object.
func TestAdoptingAfterUnknownCreate(t *testing.T) {
	w := newWorld(t)
	w.object("Person", "ada", person())
	w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
	w.pass("Person", "ada")
	w.cloud.Put(ada, byron)
	w.annotate("Person", "ada", annotation.Adopt, "true")
	w.reported()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if r := w.cloud.Get(ada); !strings.Contains(string(r.Body), "Lovelace") {
		t.Errorf("outside is %s", r.Body)
	}
	if reported := w.reported(); !strings.Contains(reported, "Normal Adopted") || strings.Contains(reported, "Created") {
		t.Errorf("it reported %q", reported)
	}
}

// TestMarkWithoutMemory covers an object whose annotations are lost, and whose resource has its
// mark.
func TestMarkWithoutMemory(t *testing.T) {
	w := newWorld(t)
	w.cloud.Marked()
	there := byron
	there.Mark = "uid-of-ada default/ada"
	w.cloud.Put(ada, there)
	made(w)
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if reported := w.reported(); !strings.Contains(reported, "the resource bears the mark of this object") {
		t.Errorf("it reported %q", reported)
	}
	if r := w.cloud.Get(ada); !strings.Contains(string(r.Body), "Lovelace") || w.cloud.Creates(ada) != 0 {
		t.Errorf("outside is %s", r.Body)
	}
}
