package reconciler_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/reconciler"
	"github.com/stratakube/strata/operator/resource"
)

// TestKindThatIsStopped stops a kind while an object is edited. Nothing is called and nothing is
// written until the kind goes on.
func TestKindThatIsStopped(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.edit("Person", "ada", func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(o.Object, "Countess", "spec", "properties", "legalName")
	})
	w.cloud.Forget()
	before := w.get("Person", "ada").GetResourceVersion()
	isStopped := true
	w.options.Stopped = func(k *resource.Kind) error {
		if isStopped && k.Hub.Kind == "Person" {
			return errors.New("stored in another hub")
		}
		return nil
	}
	w.all["Person"] = reconciler.New(w.kind("Person"), w.options)
	for range 3 {
		if result := w.pass("Person", "ada"); result.RequeueAfter <= 0 {
			t.Errorf("a stopped kind is not looked at again: %+v", result)
		}
	}
	if calls := w.cloud.Calls(""); len(calls) > 0 || w.get("Person", "ada").GetResourceVersion() != before {
		t.Errorf("a stopped kind made the calls %v, or a write", calls)
	}
	isStopped = false
	w.pass("Person", "ada")
	if len(w.cloud.Calls("Apply")) != 1 {
		t.Error("the edit was not applied when the kind went on")
	}
}

// TestKindThatIsStoppedMeanwhile has a kind that is stopped, which Stopped does not report yet. No
// resource is created or changed, and nothing is written. A resource in sync is only observed.
func TestKindThatIsStoppedMeanwhile(t *testing.T) {
	w := newWorld(t)
	made(w)
	var confirmed int
	stopped, failure := errors.New("stored in another hub"), error(nil)
	w.options.Confirm = func(context.Context, *resource.Kind) (error, error) {
		confirmed++
		return stopped, failure
	}
	w.all["Person"] = reconciler.New(w.kind("Person"), w.options)
	w.pass("Person", "ada")
	if confirmed > 0 {
		t.Error("a resource in sync asks")
	}
	w.edit("Person", "ada", func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(o.Object, "Countess", "spec", "properties", "legalName")
	})
	w.object("Person", "byron", named("byron"))
	w.cloud.Forget()
	states := func() string {
		return w.get("Person", "ada").GetResourceVersion() + " " + fmt.Sprint(w.recorded("Person", "byron"), conditionsOf(w, w.get("Person", "byron")))
	}
	w.pass("Person", "byron") // writes the finalizer at most
	before := states()
	for _, name := range []string{"ada", "byron"} {
		if result := w.pass("Person", name); result.RequeueAfter <= 0 {
			t.Errorf("%s is not looked at again: %+v", name, result)
		}
	}
	if calls := w.cloud.Calls("Apply"); len(calls) > 0 || states() != before || confirmed != 3 {
		t.Errorf("a stopped kind made the calls %v, or a write, after %d questions", calls, confirmed)
	}
	stopped, failure = nil, errors.New("no answer")
	w.pass("Person", "byron")
	if w.wants("Person", "byron", "False", reconciler.ReasonCluster); len(w.cloud.Calls("Apply")) > 0 {
		t.Error("the API server does not answer, and the resource is made")
	}
	failure = nil
	w.pass("Person", "ada")
	w.pass("Person", "byron")
	if len(w.cloud.Calls("Apply")) != 2 {
		t.Error("the edit and the object were not applied when the kind went on")
	}
}

// TestObjectsThatWait writes the conditions of objects whose kind is not reconciled. A second call
// writes nothing, and the next pass is Ready again.
func TestObjectsThatWait(t *testing.T) {
	w := newWorld(t)
	made(w)
	w.object("Person", "byron", named("byron"))
	wait := reconciler.Wait{Stored: w.kind("Person").Hub, Reason: "UpgradePending", Message: "it waits", Namespaces: []string{namespace, "other"}}
	for _, want := range []int{2, 0} {
		if n, err := wait.Write(t.Context(), w.client, w.client); err != nil || n != want {
			t.Errorf("%d conditions were written, want %d: %v", n, want, err)
		}
	}
	for _, name := range []string{"ada", "byron"} {
		w.wants("Person", name, "False", "UpgradePending")
		if c := w.condition("Person", name, reconciler.Reconciling); c.Status != "True" || c.Message != "it waits" {
			t.Errorf("%s is %+v", name, c)
		}
	}
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if c := w.condition("Person", "ada", reconciler.Reconciling); c.Type != "" {
		t.Errorf("ada still has %+v", c)
	}
}
