package reconciler_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestEqualResourceProvesNoEarlierChange has a change be cut off that may still take effect, and
// a later call of the same values take effect without an answer. The resource then has these
// values, whichever of the calls has set them. A deletion waits until the earlier change can make
// the resource again no longer.
func TestEqualResourceProvesNoEarlierChange(t *testing.T) {
	for _, test := range []struct {
		name    string
		removes bool // another client removes the resource, so that the later call is a create
		has     v2.Effect
	}{
		{"a create without an answer", true, effect.Certain},
		{"a create without a known effect", true, effect.Possible},
		{"the same change", false, effect.Possible},
	} {
		for _, restarts := range []bool{false, true} {
			w := newWorld(t)
			w.cloud.Untagged()
			made(w)
			w.edit("Person", "ada", elsewhere)
			w.failsOnce("Apply", effect.Possible, v2.Reason_REASON_TRANSIENT)
			w.pass("Person", "ada")
			w.cloud.Before(nil)
			if test.removes {
				w.cloud.Remove(ada)
			}
			w.later += time.Minute
			w.cloud.After(lostOnce(test.has))
			w.pass("Person", "ada")
			w.cloud.After(nil)
			if restarts {
				w.restart()
			}
			calls := len(w.cloud.Calls("Apply"))
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			if n := len(w.cloud.Calls("Apply")); n != calls && !restarts {
				t.Errorf("%s: it is applied %d times more, although it equals the object", test.name, n-calls)
			}
			w.delete("Person", "ada")
			about := fmt.Sprintf("%s, restarts %t", test.name, restarts)
			for range 3 {
				if !w.isGone("Person", "ada") {
					w.pass("Person", "ada")
				}
			}
			if w.cloud.Get(ada) != nil || w.isGone("Person", "ada") {
				t.Errorf("%s: the object is gone %t while the earlier change may make the resource again: %s", about, w.isGone("Person", "ada"), w.reported())
			}
			w.later += 6 * time.Minute
			for range 3 {
				if !w.isGone("Person", "ada") {
					w.pass("Person", "ada")
				}
			}
			if !w.isGone("Person", "ada") {
				t.Errorf("%s: the object stays: %+v", about, w.recorded("Person", "ada"))
			}
		}
	}
}

// lostOnce returns a function that loses the answer of the next Apply, which has taken effect.
func lostOnce(has v2.Effect) func(fakeprovider.Call) error {
	isDone := false
	return func(c fakeprovider.Call) error {
		if c.Verb != "Apply" || isDone {
			return nil
		}
		isDone = true
		return fakeprovider.FailAfter(has, v2.Reason_REASON_TRANSIENT, "the connection was cut")
	}
}
