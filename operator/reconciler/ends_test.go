package reconciler_test

import "testing"

// TestCreateEndsAsItsObjectIsDeleted covers an API whose reads spell UIDs differently, and a
// create that ends in the pass that deletes its resource. The resource belongs to the object, and
// is deleted with it.
func TestCreateEndsAsItsObjectIsDeleted(t *testing.T) {
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
