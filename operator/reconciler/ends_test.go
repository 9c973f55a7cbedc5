package reconciler_test

import "testing"

// TestACreateEndsAsItsObjectIsDeleted has an API whose reads spell UIDs otherwise, and a create end
// in the pass that deletes its resource. The resource is the object's, and goes with it.
func TestACreateEndsAsItsObjectIsDeleted(t *testing.T) {
	w := newWorld(t)
	w.cloud.Untagged()
	w.cloud.Respelled()
	w.cloud.Slow(1, false)
	made(w)
	w.cloud.Slow(0, false)
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
		t.Errorf("the object is gone %t, outside are %v: %s", w.isGone("Person", "ada"), w.cloud.IDs(), w.reported())
	}
}
