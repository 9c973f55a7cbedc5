package reconciler_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/api/crm/v20180808"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/reconciler"
)

// listed is a person of a version in which a secret has several texts, which cannot be removed
// from the body.
type listed struct {
	v20180808.Person `json:",inline"`
}

func (l *listed) SecretPaths() []string { return []string{"properties.mailingAddress"} }

// vanishing makes calls take effect without an answer.
func vanishing(c fakeprovider.Call) error {
	if c.Verb == "Apply" {
		return errors.New("the connection was cut")
	}
	return nil
}

// TestSecretsInNoAnnotation covers a create of unknown outcome whose body contains secrets. No
// annotation has them, and the operator still finds the created resource.
func TestSecretsInNoAnnotation(t *testing.T) {
	const value = "12 St James's Square"
	w := newWorld(t)
	w.scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "crm.example.com", Version: "v20180809", Kind: "Person"}, &listed{})
	spec := person()
	spec["originalVersion"] = "v20180809"
	spec["properties"].(map[string]any)["mailingAddress"] = map[string]any{"city": value}
	w.object("Person", "ada", spec)
	w.cloud.After(vanishing)
	w.pass("Person", "ada")
	if r := w.cloud.Get(ada); r == nil || !strings.Contains(string(r.Body), value) {
		t.Fatalf("outside is %+v", r)
	}
	if notes := fmt.Sprint(w.get("Person", "ada").GetAnnotations()); strings.Contains(notes, value) {
		t.Errorf("the annotations are %s", notes)
	}
	if m := w.marks("Person", "ada"); m.Sent == nil || m.Sent.Body != "" || m.Sent.Spec == "" {
		t.Fatalf("it has sent %+v", m.Sent)
	}
	w.cloud.After(nil)
	w.restart()
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", reconciler.Succeeded)
	if n := len(w.cloud.Calls("Apply")); n != 1 {
		t.Errorf("it was applied %d times", n)
	}
}

// TestALargeResourceIsDeleted covers a create of unknown outcome whose body is too large for an
// annotation, and the deletion of the object.
func TestALargeResourceIsDeleted(t *testing.T) {
	for reason, change := range map[string]func(*world){
		"as it was made":     func(*world) {},
		"changed by another": func(w *world) { w.cloud.Put(ada, byron) },
	} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			spec := person()
			spec["properties"].(map[string]any)["familyName"] = strings.Repeat("x", 65<<10)
			w.object("Person", "ada", spec)
			w.cloud.After(vanishing)
			w.pass("Person", "ada")
			w.cloud.After(nil)
			change(w)
			isForeign := string(w.cloud.Get(ada).Body) == string(byron.Body)
			w.restart()
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			if left := w.cloud.Get(ada) != nil; left != isForeign || !w.isGone("Person", "ada") {
				t.Errorf("the resource is left: %t", left)
			}
		})
	}
}

// TestALargeResourceWithValuesOfConfigMapsIsDeleted adds a value of a ConfigMap to the body. If
// the ConfigMap is missing or may not be read, nothing proves who made the resource. The object
// is released nevertheless.
func TestALargeResourceWithValuesOfConfigMapsIsDeleted(t *testing.T) {
	for reason, test := range map[string]struct {
		change func(*world)
		left   bool
	}{
		"as it was made":         {func(*world) {}, false},
		"changed":                {func(w *world) { w.configMap("site", "region", "south") }, true},
		"without its key":        {func(w *world) { w.configMap("site", "other", "north") }, true},
		"read by nobody":         {func(w *world) { w.hidden = "ConfigMap" }, true},
		"beside outputs of none": {func(w *world) { w.note("Person", "ada", annotation.Outputs, "{") }, true},
	} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			w.configMap("site", "region", "north")
			spec := person()
			delete(spec, "location")
			spec["configMapRefs"] = refs("location", "site", "region")
			spec["properties"].(map[string]any)["familyName"] = strings.Repeat("x", 70<<10)
			w.object("Person", "ada", spec)
			w.cloud.After(vanishing)
			w.pass("Person", "ada")
			w.cloud.After(nil)
			if w.cloud.Get(ada) == nil {
				t.Fatal("nothing was made")
			}
			test.change(w)
			w.restart()
			w.delete("Person", "ada")
			w.pass("Person", "ada")
			if left := w.cloud.Get(ada) != nil; left != test.left || !w.isGone("Person", "ada") {
				t.Errorf("the resource is left: %t, and the object is gone: %t", left, w.isGone("Person", "ada"))
			}
		})
	}
}

// TestAnEditedLargeResourceIsNotProven changes the spec before the deletion. Then nothing proves
// who made the resource.
func TestAnEditedLargeResourceIsNotProven(t *testing.T) {
	w := newWorld(t)
	spec := person()
	spec["properties"].(map[string]any)["familyName"] = strings.Repeat("x", 65<<10)
	w.object("Person", "ada", spec)
	w.cloud.After(vanishing)
	w.pass("Person", "ada")
	w.cloud.After(nil)
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, "King", "spec", "properties", "familyName")
	})
	w.restart()
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if w.cloud.Get(ada) == nil || !strings.Contains(w.reported(), reconciler.NotDeleted) {
		t.Error("what cannot be proven is deleted")
	}
}
