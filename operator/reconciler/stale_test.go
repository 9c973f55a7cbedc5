package reconciler_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestLookThatLagsBehind covers an observation that misses a resource of the object, and a
// create that the API refuses because the resource exists. It still belongs to the object. If it
// differs, a UID must prove that.
func TestLookThatLagsBehind(t *testing.T) {
	for _, hasUIDs := range []bool{true, false} {
		for _, restarts := range []bool{true, false} {
			for _, deletes := range []bool{true, false} {
				w := newWorld(t)
				if !hasUIDs {
					w.cloud.Nameless()
				}
				made(w)
				if hasUIDs {
					w.isOut(func(r *fakeprovider.Resource) { r.Body = byron.Body })
				}
				w.cloud.Stale(1)
				w.pass("Person", "ada")
				if restarts {
					w.restart()
				}
				if !w.recorded("Person", "ada").Owned {
					t.Errorf("UIDs %t: the claim was released", hasUIDs)
				}
				if deletes {
					w.delete("Person", "ada")
					w.pass("Person", "ada")
					if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
						t.Errorf("UIDs %t: outside are %v: %s", hasUIDs, w.cloud.IDs(), w.reported())
					}
					continue
				}
				w.pass("Person", "ada")
				w.wants("Person", "ada", "True", reconciler.Succeeded)
				if w.cloud.Creates(ada) != 1 {
					t.Errorf("it was made %d times", w.cloud.Creates(ada))
				}
			}
		}
	}
}

// TestResourcesOfOtherClientsMeanwhile covers a deleted resource, and another client that creates
// one before the object's create. The new resource belongs to that client.
func TestResourcesOfOtherClientsMeanwhile(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.cloud.Remove(ada)
	w.cloud.Before(func(c fakeprovider.Call) error {
		if c.Verb == "Apply" {
			return fakeprovider.FailAfter(effect.None, v2.Reason_REASON_CONFLICT, "it exists")
		}
		return nil
	})
	w.cloud.Meanwhile("Apply", func() { w.cloud.Put(ada, byron) })
	w.pass("Person", "ada")
	w.cloud.Before(nil)
	w.leavesByron()
}

// TestDeletionWithLaggingLook deletes an object as soon as its resource is created, when an
// observation does not find it yet.
func TestDeletionWithLaggingLook(t *testing.T) {
	for _, restarts := range []bool{true, false} {
		w := newWorld(t)
		made(w)
		if restarts {
			w.restart()
		}
		w.delete("Person", "ada")
		w.cloud.Stale(1)
		for range 2 {
			if !w.isGone("Person", "ada") {
				w.pass("Person", "ada")
			}
		}
		if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
			t.Errorf("outside are %v", w.cloud.IDs())
		}
	}
}

// TestConflictIsNotAlwaysResource covers a create that is refused because the API is busy, and
// one because the resource exists.
func TestConflictIsNotAlwaysResource(t *testing.T) {
	for _, exists := range []bool{true, false} {
		w := newWorld(t)
		w.cloud.Before(func(c fakeprovider.Call) error {
			if c.Verb == "Apply" {
				return fakeprovider.FailAfter(effect.None, v2.Reason_REASON_CONFLICT, "busy")
			}
			return nil
		})
		if exists {
			w.cloud.Put(ada, byron)
			w.cloud.Stale(1)
		}
		made(w)
		if c := w.condition("Person", "ada", reconciler.Ready); exists && (c.Reason != reconciler.Exists || !strings.Contains(c.Message, annotation.Adopt)) || !exists && c.Reason != "Conflict" {
			t.Errorf("exists %t: it is %+v", exists, c)
		}
		if w.recorded("Person", "ada").Owned {
			t.Error("it has a claim")
		}
	}
}

// TestDeletionThatLagsDeletesNothingOfOthers covers an observation that finds nothing, when the
// resource was replaced long ago. The operator deletes nothing without an observation that finds
// it.
func TestDeletionThatLagsDeletesNothingOfOthers(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.later = 2 * time.Minute
	w.cloud.Remove(ada)
	w.cloud.Put(ada, byron)
	w.delete("Person", "ada")
	w.cloud.Stale(1)
	w.pass("Person", "ada")
	w.isByron(ada)
	if n := len(w.cloud.Calls("Delete")); n != 0 {
		t.Errorf("there were %d deletes", n)
	}
}

// TestMissedResourceIsKnownForLong stops the operator for long after an observation has missed a
// resource. The UID still proves that it belongs to the object, and another resource does not.
func TestMissedResourceIsKnownForLong(t *testing.T) {
	for _, isNew := range []bool{false, true} {
		w := newWorld(t)
		made(w)
		w.isOut(func(r *fakeprovider.Resource) { r.Body = byron.Body })
		w.cloud.Stale(1)
		w.pass("Person", "ada")
		if isNew {
			w.cloud.Remove(ada)
			w.cloud.Put(ada, byron)
		}
		w.later = 3 * time.Hour
		w.restart()
		if isNew {
			w.leavesByron()
			continue
		}
		w.pass("Person", "ada")
		w.wants("Person", "ada", "True", reconciler.Succeeded)
	}
}

// TestTwoCreatesWithoutAnswer covers two creates of unknown outcome with different specs.
// Whichever takes effect, its resource belongs to the object. The resource of another client does
// not.
func TestTwoCreatesWithoutAnswer(t *testing.T) {
	for _, deletes := range []bool{false, true} {
		for comes := range 4 {
			w := newWorld(t)
			w.cloud.Before(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
			w.object("Person", "ada", person())
			var sent []*annotation.SentCreate
			for _, location := range []string{"westeurope", "north", "south"} {
				w.edit("Person", "ada", func(u *unstructured.Unstructured) {
					u.Object["spec"].(map[string]any)["location"] = location
				})
				w.pass("Person", "ada")
				sent = append(sent, w.recorded("Person", "ada").Sent)
			}
			w.cloud.Before(nil)
			if comes < len(sent) {
				w.cloud.Put(ada, fakeprovider.Resource{Version: sent[comes].Version, Body: []byte(sent[comes].Body)})
			} else {
				w.cloud.Put(ada, byron)
			}
			w.restart()
			if comes == len(sent) {
				w.leavesByron()
				continue
			}
			if !deletes {
				w.pass("Person", "ada")
				w.wants("Person", "ada", "True", reconciler.Succeeded)
				if is := string(w.cloud.Get(ada).Body); !strings.Contains(is, "south") {
					t.Errorf("create %d: outside is %s", comes, is)
				}
			}
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
				t.Errorf("create %d, deletes %t: outside are %v: %s", comes, deletes, w.cloud.IDs(), w.reported())
			}
		}
	}
}

// TestReservedName covers an external API that reserves the name of a deleted resource, and
// refuses each create. One event reports that the resource is gone, and one the refusal, even if
// the process restarts meanwhile.
func TestReservedName(t *testing.T) {
	for _, hasUIDs := range []bool{true, false} {
		for _, restarts := range []bool{true, false} {
			w := newWorld(t)
			if !hasUIDs {
				w.cloud.Nameless()
			}
			made(w)
			w.later = 2 * time.Minute
			w.cloud.Remove(ada)
			w.cloud.Before(applyFails(effect.None, v2.Reason_REASON_CONFLICT))
			w.reported()
			for range 20 {
				if restarts {
					w.restart()
				}
				w.later += 5 * time.Minute
				w.pass("Person", "ada")
			}
			reported := w.reported()
			if strings.Count(reported, reconciler.Gone) != 1 || strings.Count(reported, "Conflict") != 1 || strings.Count(reported, "\n") != 2 {
				t.Errorf("UIDs %t, restarts %t: it reported %s", hasUIDs, restarts, reported)
			}
			w.cloud.Before(nil)
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			w.cloud.Remove(ada)
			w.pass("Person", "ada")
			if reported = w.reported(); strings.Count(reported, reconciler.Gone) != 1 {
				t.Errorf("UIDs %t, restarts %t: after the next time it reported %s", hasUIDs, restarts, reported)
			}
		}
	}
}

// TestRefusedCreateDelaysNoDeletion covers a resource that an observation misses, or that is
// gone, and a create that is refused. The create certainly has no effect, so that the deletion
// does not wait for it.
func TestRefusedCreateDelaysNoDeletion(t *testing.T) {
	for _, restarts := range []bool{true, false} {
		w := newWorld(t)
		made(w)
		w.later = 2 * time.Minute
		w.cloud.Remove(ada)
		w.cloud.Before(applyFails(effect.None, v2.Reason_REASON_CONFLICT))
		w.pass("Person", "ada")
		w.cloud.Before(nil)
		if restarts {
			w.restart()
		}
		w.delete("Person", "ada")
		w.pass("Person", "ada")
		if !w.isGone("Person", "ada") {
			t.Errorf("restarts %t: it waits: %+v", restarts, w.condition("Person", "ada", reconciler.Ready))
		}
	}
}

// TestLookThatLagsBeforeRefusal covers an observation that misses the resource, and a create
// that is refused for another reason. The resource still belongs to the object.
func TestLookThatLagsBeforeRefusal(t *testing.T) {
	for _, reason := range []v2.Reason{v2.Reason_REASON_THROTTLED, v2.Reason_REASON_INVALID, v2.Reason_REASON_UNAUTHORIZED} {
		for _, hasUIDs := range []bool{true, false} {
			w := newWorld(t)
			if !hasUIDs {
				w.cloud.Nameless()
			}
			made(w)
			w.cloud.Stale(1)
			w.cloud.Before(applyFails(effect.None, reason))
			w.pass("Person", "ada")
			w.cloud.Before(nil)
			w.restart()
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			if w.cloud.Get(ada) != nil || w.cloud.Creates(ada) != 1 {
				t.Errorf("%s, UIDs %t: outside are %v, made %d times", reason, hasUIDs, w.cloud.IDs(), w.cloud.Creates(ada))
			}
		}
	}
}
