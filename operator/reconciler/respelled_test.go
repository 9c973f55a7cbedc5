package reconciler_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestUIDWithAnotherSpelling covers reads that spell the UID differently from answers to
// changes, as with times of creation in several precisions. The resource still belongs to the
// object, and another one does not.
func TestUIDWithAnotherSpelling(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		for _, polls := range []int{0, 2} {
			w := newWorld(t)
			w.cloud.Untagged()
			w.cloud.Respelled()
			w.cloud.Slow(polls, false)
			w.object("Person", "ada", person())
			then := func() {
				if restarts {
					w.restart()
				}
				w.later += 10 * time.Second
				w.pass("Person", "ada")
			}
			for range 4 {
				then()
			}
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			w.isOut(func(r *fakeprovider.Resource) { r.Body = byron.Body }) // drift; the answer to its correction has the other spelling
			for range 6 {
				then()
			}
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			w.delete("Person", "ada")
			for range 6 {
				then()
			}
			if reported := w.reported(); !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil || strings.Contains(reported, reconciler.NotDeleted) {
				t.Errorf("restarts %t, polls %d: the object is gone %t, outside are %v: %s", restarts, polls, w.isGone("Person", "ada"), w.cloud.IDs(), reported)
			}
		}
	}
}

// TestAdoptedUIDThatIsSpelledOtherwise covers a first observation by a read, and later ones by
// answers to changes. The operator still recognises a replaced resource.
func TestAdoptedUIDThatIsSpelledOtherwise(t *testing.T) {
	w := newWorld(t)
	w.cloud.Untagged()
	w.cloud.Respelled()
	w.cloud.Put(ada, byron)
	w.object("Person", "ada", person())
	w.annotate("Person", "ada", annotation.Adopt, "true")
	w.pass("Person", "ada")
	w.annotate("Person", "ada", annotation.Adopt, "")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.cloud.Remove(ada)
	w.cloud.Put(ada, byron)
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.Exists)
	w.isByron(ada)
}

// TestMissedUIDThatIsSpelledOtherwise covers an observation that misses the resource, and a
// create that is refused. The next observation has the UID in another spelling.
func TestMissedUIDThatIsSpelledOtherwise(t *testing.T) {
	w := newWorld(t)
	w.cloud.Untagged()
	w.cloud.Respelled()
	made(w)
	w.cloud.Stale(1)
	w.cloud.Before(applyFails(effect.None, v2.Reason_REASON_CONFLICT))
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.restart()
	w.pass("Person", "ada")
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
}
