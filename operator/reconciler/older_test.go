package reconciler_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/fakeprovider"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	"github.com/stratakube/strata/operator/reconciler"
)

// provisionedAs returns the condition of a plugin that was built before the field last_change
// existed.
func provisionedAs(state string) []*v1.Fact {
	return []*v1.Fact{{Type: v1.Provisioned, Truth: v1.Truth_TRUTH_FALSE, Reason: state}}
}

// TestFailureThatOnlyConditionReports covers a plugin of version 2 without the field
// last_change that reports a failed change. The object is not Ready, and is applied again after a
// resync.
func TestFailureThatOnlyConditionReports(t *testing.T) {
	w := newWorld(t)
	w.cloud.Silent()
	made(w)
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	w.isOut(func(r *fakeprovider.Resource) { r.Facts = provisionedAs("Failed") })
	w.cloud.Forget()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "False", reconciler.NotProvisioned)
	w.later += 11 * time.Minute
	w.pass("Person", "ada")
	if n := len(w.cloud.Calls("Apply")); n != 1 {
		t.Errorf("it was applied %d times", n)
	}
}

// TestChangeThatOnlyConditionReports covers such a plugin that reports a running change of
// another client. The operator does not change the resource meanwhile.
func TestChangeThatOnlyConditionReports(t *testing.T) {
	w := newWorld(t)
	w.cloud.Silent()
	made(w)
	w.isOut(func(r *fakeprovider.Resource) { r.Facts = provisionedAs("Updating") })
	w.cloud.Forget()
	for range 4 {
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.NotProvisioned)
		w.later += 11 * time.Minute
	}
	if n := len(w.mutations()); n > 0 {
		t.Errorf("it was changed %d times while a change of another client went on", n)
	}
}

// TestDeletionThatOnlyConditionReports covers such a plugin that reports a deletion of the
// resource, with another entity tag. The object stays until the resource no longer exists.
func TestDeletionThatOnlyConditionReports(t *testing.T) {
	for _, silent := range []bool{false, true} {
		w := newWorld(t)
		if silent {
			w.cloud.Silent()
		}
		w.cloud.Poor()
		made(w)
		made := *w.cloud.Get(ada)
		w.cloud.Meanwhile("Delete", func() {
			w.cloud.Put(ada, fakeprovider.Resource{Type: made.Type, Version: made.Version, Body: made.Body, Facts: provisionedAs("Deleting")})
		})
		w.delete("Person", "ada")
		for range 10 {
			if w.isGone("Person", "ada") {
				break
			}
			w.pass("Person", "ada")
			w.later += 11 * time.Second
		}
		if reported := w.reported(); w.isGone("Person", "ada") || strings.Contains(reported, reconciler.NotDeleted) {
			t.Errorf("silent %t: the object is gone while its resource is being deleted, outside are %v: %s", silent, w.cloud.IDs(), reported)
		}
	}
}
