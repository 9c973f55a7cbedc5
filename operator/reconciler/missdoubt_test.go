package reconciler_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestDeletionDoesNotForgetDoubt has an observation miss the resource of a deleted object of
// which only the user can tell whose it is.
func TestDeletionDoesNotForgetDoubt(t *testing.T) {
	for _, isDeleted := range []bool{false, true} {
		for _, api := range apis {
			w := newWorld(t)
			api.set(w.cloud)
			w.appearsLate()
			if isDeleted {
				w.delete("Person", "ada")
			}
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.Exists)
			if m := w.recorded("Person", "ada"); m.Sent == nil || !m.Sent.Doubted {
				t.Fatalf("it remembers %+v", m.Sent)
			}
			w.later += 10 * time.Second
			w.cloud.Forget()
			if !isDeleted {
				w.delete("Person", "ada")
			}
			w.cloud.Stale(1)
			w.pass("Person", "ada")
			w.cloud.Stale(0)
			if w.isGone("Person", "ada") {
				t.Errorf("%s, deleted %t: the object is gone, and outside are %v: %s", api.name, isDeleted, w.cloud.IDs(), w.reported())
				continue
			}
			w.later += 10 * time.Second
			w.passes(3)
			w.wants("Person", "ada", "False", reconciler.Exists)
		}
	}
}

// TestCreateThatMayGoOnBehindAnother has a create be given up whose polls were refused for a day,
// and the next one be cut off. The first one takes effect, at a service that spells a value
// otherwise.
func TestCreateThatMayGoOnBehindAnother(t *testing.T) {
	for _, deletes := range []bool{true, false} {
		w := newWorld(t)
		accepted(w, v2.Reason_REASON_UNAUTHORIZED)
		first := w.recorded("Person", "ada").Sent
		for w.later < 25*time.Hour {
			w.pass("Person", "ada")
			w.later += time.Hour
			if w.later == 24*time.Hour {
				w.failsAll(map[string]v2.Reason{"Poll": v2.Reason_REASON_UNAUTHORIZED, "Apply": v2.Reason_REASON_THROTTLED})
			}
		}
		w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
		w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
		w.pass("Person", "ada")
		if m := w.recorded("Person", "ada"); m.Sent == nil || m.Sent.Accepted || m.Sent.Before == nil || !m.Sent.Before.MayRun() {
			t.Fatalf("it remembers %+v", m.Sent)
		}
		w.cloud.Before(nil)
		w.cloud.Forget()
		body := bytes.Replace([]byte(first.Body), []byte("westeurope"), []byte("WestEurope"), 1)
		w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: first.Version, Body: body})
		w.later += time.Minute
		if !deletes {
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.Exists)
		}
		w.staysInDoubt(fmt.Sprint("deletes at once ", deletes))
	}
}

// TestCreateOfFutureIsNotForgotten has a create be cut off by a clock that is hours ahead, and
// the next one certainly have no effect. The first one takes effect after all.
func TestCreateOfFutureIsNotForgotten(t *testing.T) {
	for _, deletes := range []bool{true, false} {
		w := newWorld(t)
		w.later = 10 * time.Hour
		w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
		made(w)
		sent := w.recorded("Person", "ada").Sent
		w.later = 0
		w.restart()
		w.cloud.Before(applyFails(effect.None, v2.Reason_REASON_THROTTLED))
		w.pass("Person", "ada")
		w.cloud.Before(nil)
		w.cloud.Forget()
		w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: sent.Version, Body: []byte(sent.Body)})
		if !deletes {
			w.pass("Person", "ada")
			w.wants("Person", "ada", "False", reconciler.Exists)
		}
		w.staysInDoubt(fmt.Sprint("deletes at once ", deletes))
	}
}
