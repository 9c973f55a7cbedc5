package reconciler_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// TestFailedChangesOfSecret is a table over a change of a secret that fails, and what the next
// process does. No observation shows a secret, so that the operator knows only from the marks which
// value the resource has. Ready is True only if the resource has the secret of the object.
func TestFailedChangesOfSecret(t *testing.T) {
	const before, after = "Augusta Ada King", "Countess of Lovelace"
	for _, test := range []struct {
		name      string
		has       v2.Effect
		next      string // the secret of the object in the next process
		restarts  bool
		isApplied bool // whether the next process applies the resource
	}{
		{"a change without effect is sent again", effect.None, after, false, true},
		{"a new process sends it again", effect.None, after, true, true},
		{"after a change without effect, the old value needs no call", effect.None, before, false, false},
		{"nor does it in a new process", effect.None, before, true, false},
		{"a change that may have taken effect is sent again", effect.Possible, after, true, true},
		{"after it, the old value is sent too", effect.Possible, before, true, true},
		{"a change that certainly took effect is sent again, since nothing shows which one", effect.Certain, after, true, true},
		{"after it, the old value is sent", effect.Certain, before, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "crm.example.com", Version: "v20180809", Kind: "Person"}, &secretive{})
			spec := person()
			spec["originalVersion"] = "v20180809"
			w.object("Person", "ada", spec)
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)

			secret := func(value string) {
				w.edit("Person", "ada", func(u *unstructured.Unstructured) {
					u.SetGeneration(u.GetGeneration() + 1)
					_ = unstructured.SetNestedField(u.Object, value, "spec", "properties", "legalName")
				})
			}
			secret(after)
			w.failsOnce("Apply", test.has, v2.Reason_REASON_TRANSIENT)
			w.pass("Person", "ada")
			if c := w.condition("Person", "ada", reconciler.Ready); c.Status != "False" {
				t.Errorf("the change has failed, and the object is %+v", c)
			}
			if test.next != after {
				secret(test.next)
			}
			if test.restarts {
				w.restart()
			}
			w.cloud.Forget()
			w.pass("Person", "ada")
			w.wants("Person", "ada", "True", reconciler.Succeeded)
			if is := w.cloud.Get(ada).Secrets["properties.legalName"]; is != test.next {
				t.Errorf("the object is Ready, and the resource has the secret %q, want %q", is, test.next)
			}
			if n := len(w.cloud.Calls("Apply")); (n > 0) != test.isApplied {
				t.Errorf("the next process applied the resource %d times", n)
			}
		})
	}
}
