package reconciler_test

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// asked counts the calls that asked for outputs.
func (w *world) asked() (n int) {
	for _, c := range w.cloud.Calls("") {
		if c.Outputs > 0 {
			n++
		}
	}
	return n
}

// errForbidden is the error of all writes of a process that has ended. The operator does not
// repeat such writes.
var errForbidden = apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("the process has ended"))

// withholds makes calls for outputs fail.
func withholds(c fakeprovider.Call) error {
	if c.Outputs > 0 {
		return fakeprovider.Fail(v2.Reason_REASON_TRANSIENT, "no", 0)
	}
	return nil
}

// TestOutputsStayDue covers a change of the resource, after which the first call for outputs
// fails or the process ends before it. The stored values are old. The operator requests the
// outputs until the external API has answered, and not again after that.
func TestOutputsStayDue(t *testing.T) {
	for change, do := range map[string]func(*world){
		"made anew": func(w *world) { w.cloud.Remove(ada) },
		"changed": func(w *world) {
			w.edit("Person", "ada", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["location"] = "north" })
		},
		"made anew by an operation": func(w *world) { w.cloud.Remove(ada); w.cloud.Slow(1, false); w.pass("Person", "ada") },
	} {
		for end, fail := range map[string]func(*world){
			"the API fails": func(w *world) {
				w.cloud.Before(withholds)
				w.pass("Person", "ada")
				w.wants("Person", "ada", "False", reconciler.ReasonOutputs)
				w.cloud.Before(nil)
			},
			"the API withholds a value": func(w *world) {
				w.cloud.Withhold("listKeys().key1")
				w.pass("Person", "ada")
				w.wants("Person", "ada", "False", reconciler.ReasonOutputs)
				w.cloud.Withhold()
			},
			"the process ends": func(w *world) {
				w.cloud.Before(func(c fakeprovider.Call) error {
					if c.Outputs > 0 {
						w.writes = func(func() error) error { return errForbidden }
					}
					return withholds(c)
				})
				_, _ = w.try("Person", "ada")
				w.cloud.Before(nil)
				w.writes = nil
			},
		} {
			t.Run(change+", "+end, func(t *testing.T) {
				w := newWorld(t)
				made(w, annotation.Outputs, keyOne)
				w.wants("Person", "ada", "True", reconciler.Succeeded)
				do(w)
				fail(w)
				w.restart()
				w.cloud.Forget()
				w.pass("Person", "ada")
				w.wants("Person", "ada", "True", reconciler.Succeeded)
				if n := w.asked(); n != 1 {
					t.Errorf("the outputs were asked for %d times", n)
				}
				w.pass("Person", "ada")
				if n := w.asked(); n != 1 {
					t.Errorf("they were asked for %d times in the end", n)
				}
				if note := w.get("Person", "ada").GetAnnotations()[annotation.OutputsDue]; note != "" {
					t.Errorf("it says that they are due: %s", note)
				}
			})
		}
	}
}

// TestOutputsOfFoundResourcesAreDue covers a resource that a call of unknown outcome has created
// again. The process ends as soon as the claim names the resource.
func TestOutputsOfFoundResourcesAreDue(t *testing.T) {
	w := newWorld(t)
	made(w, annotation.Outputs, keyOne)
	w.cloud.Remove(ada)
	w.cloud.After(vanishing)
	w.pass("Person", "ada")
	w.cloud.After(nil)
	writes := 0
	w.writes = func(do func() error) error {
		if writes++; writes > 1 {
			return errForbidden
		}
		return do()
	}
	_, _ = w.try("Person", "ada")
	if m := w.recorded("Person", "ada"); m.ID != ada || m.Applied == "" || writes < 2 {
		t.Fatalf("after %d writes the claim is %+v", writes, m)
	}
	w.writes = nil
	w.restart()
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if n := w.asked(); n != 1 {
		t.Errorf("the outputs were asked for %d times", n)
	}
}

// TestOutputsOfReplacedResource covers another client that replaces the resource by an equal one
// between two observations, and a user who adopts it.
func TestOutputsOfReplacedResource(t *testing.T) {
	w := newWorld(t)
	made(w, annotation.Outputs, keyOne)
	there := *w.cloud.Get(ada)
	w.cloud.Remove(ada)
	w.cloud.Put(ada, fakeprovider.Resource{Type: there.Type, Version: there.Version, Body: there.Body})
	w.annotate("Person", "ada", annotation.Adopt, "true")
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if n := w.asked(); n != 1 {
		t.Errorf("the outputs were asked for %d times: the Secret has the keys of a resource that is gone", n)
	}
}
