package reconciler_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// unreported begins an operation that never ends, at a provider that reports neither a last
// change nor the condition Provisioned. The visible resource equals the object.
func unreported(w *world, create bool) {
	w.Helper()
	w.cloud.Silent()
	if !create {
		made(w)
	}
	w.cloud.Slow(1_000_000, false)
	if create {
		made(w)
	} else {
		w.edit("Person", "ada", elsewhere)
		w.pass("Person", "ada")
	}
	calls := w.cloud.Calls("Apply")
	last := calls[len(calls)-1]
	visible := fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: last.Version}
	if is := w.cloud.Get(ada); is != nil {
		visible = *is
	}
	visible.Body = []byte(last.Body)
	w.cloud.Put(ada, visible)
	w.cloud.Forget()
}

// TestOperationThatOnlyPollReports covers a create or a change that runs for days, which only
// polls report. The object is not Ready, and the operator polls the operation until it ends.
func TestOperationThatOnlyPollReports(t *testing.T) {
	for _, create := range []bool{true, false} {
		w := newWorld(t)
		unreported(w, create)
		for w.later = 23 * time.Hour; w.later < 72*time.Hour; w.later += 7 * time.Hour {
			fails := []v2.Reason{v2.Reason_REASON_TRANSIENT, v2.Reason_REASON_THROTTLED}
			if n := int(w.later/time.Hour) % 3; n < len(fails) && w.later > 30*time.Hour {
				w.failsAll(map[string]v2.Reason{"Poll": fails[n]}) // once
				w.pass("Person", "ada")
				w.cloud.Before(nil)
			}
			if w.pass("Person", "ada"); w.later > 40*time.Hour {
				w.restart()
			}
			if w.recorded("Person", "ada").Operation == nil {
				t.Fatalf("create %t: after %v the operation is forgotten", create, w.later)
			}
			if c := w.condition("Person", "ada", reconciler.Ready); c.Status != "False" {
				t.Fatalf("create %t: after %v the poll reports that it goes on, and the object is %+v", create, w.later, c)
			}
		}
		if n := len(w.mutations()); n > 0 {
			t.Errorf("create %t: %d calls change the resource", create, n)
		}
		w.cloud.Finish()
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if m := w.recorded("Person", "ada"); m.Operation != nil || m.ID != ada {
			t.Errorf("create %t: it remembers %+v", create, m)
		}
	}
}

// TestEndsOfUnreportedOperations edits or deletes the object after two days of its operation, or
// the resource begins to report its change. The operator acts at once.
func TestEndsOfUnreportedOperations(t *testing.T) {
	for reason, test := range map[string]struct {
		method string
		begins func(*world)
	}{
		"an edit": {"Apply", func(w *world) {
			w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
		}},
		"a deletion": {"Delete", func(w *world) { w.delete("Person", "ada") }},
		"a report": {"", func(w *world) {
			w.isOut(func(r *fakeprovider.Resource) { r.LastChange = v1.Change_CHANGE_RUNNING })
		}},
	} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			unreported(w, false)
			w.later = 48 * time.Hour
			w.pass("Person", "ada")
			w.cloud.Forget()
			test.begins(w)
			w.pass("Person", "ada")
			if test.method == "" {
				w.wants("Person", "ada", "False", reconciler.NotProvisioned)
				if m := w.recorded("Person", "ada"); m.Operation != nil {
					t.Errorf("the resource reports its change, and it remembers %+v", m.Operation)
				}
				return
			}
			if n := len(w.cloud.Calls(test.method)); n != 1 {
				t.Errorf("%d calls: %+v", n, w.condition("Person", "ada", reconciler.Ready))
			}
		})
	}
}

// TestUnreportedDeleteIsGivenUp covers a delete that runs for more than a day, while the
// resource reports nothing. The operator deletes it again.
func TestUnreportedDeleteIsGivenUp(t *testing.T) {
	w := newWorld(t)
	w.cloud.Silent()
	made(w)
	w.cloud.Slow(1_000_000, false)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if m := w.recorded("Person", "ada"); m.Operation == nil || m.Operation.Aim != annotation.ToDelete {
		t.Fatalf("it remembers %+v", m)
	}
	w.cloud.Slow(0, false)
	w.later = 25 * time.Hour
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
		t.Errorf("outside are %v: %+v", w.cloud.IDs(), w.cloud.Calls(""))
	}
}
