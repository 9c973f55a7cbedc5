package reconciler_test

import (
	"testing"

	"github.com/stratakube/strata/operator/reconciler"
)

// TestVendorsOwnerIsNotRead covers kinds whose vendor has a member owner with a name. The object
// has no owner, and waits for none.
func TestVendorsOwnerIsNotRead(t *testing.T) {
	for _, added := range []string{"owner", ""} {
		w := newWorld(t)
		w.kind("Person").Owner = added
		spec := person()
		spec["owner"], spec["azureName"] = map[string]any{"name": "grace"}, "byron"
		u := w.object("Person", "ada", spec)
		if got := reconciler.Indexes(w.kind("Person"))[reconciler.ByOwner](u); len(got) > 0 != (added != "") {
			t.Errorf("owner %q: it is indexed by %q", added, got)
		}
		w.pass("Person", "ada")
		if added != "" {
			w.wants("Person", "ada", "False", "OwnerUnknown")
			continue
		}
		w.wants("Person", "ada", "True", reconciler.Succeeded)
		if id := w.recorded("Person", "ada").ID; id != ada {
			t.Errorf("it is %s", id)
		}
	}
}
