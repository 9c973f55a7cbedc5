package reconciler_test

import (
	"testing"
	"time"

	"github.com/stratakube/strata/operator/reconciler"
)

// TestOperationsThatEndWithoutAnswer covers operations that succeed without an observation. The
// operator does not apply their spec again, and sends the next edit once.
func TestOperationsThatEndWithoutAnswer(t *testing.T) {
	w := newWorld(t)
	w.cloud.Slow(1, false)
	w.cloud.Quiet()
	made(w)
	settles := func(applies int) {
		for range 5 {
			w.pass("Person", "ada")
			w.later += 11 * time.Second
		}
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if n := len(w.cloud.Calls("Apply")); n != applies {
			t.Errorf("it was applied %d times, want %d", n, applies)
		}
	}
	settles(1)
	w.edit("Person", "ada", elsewhere)
	settles(2)
}
