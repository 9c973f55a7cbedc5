package reconciler_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/api/crm/v20180808"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/effect"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
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
	if annotations := fmt.Sprint(w.get("Person", "ada").GetAnnotations()); strings.Contains(annotations, value) {
		t.Errorf("the annotations are %s", annotations)
	}
	if m := w.recorded("Person", "ada"); m.Sent == nil || m.Sent.Body != "" || m.Sent.Spec == "" {
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

// TestLargeResourceIsDeleted covers a create of unknown outcome whose body is too large for an
// annotation, and the deletion of the object.
func TestLargeResourceIsDeleted(t *testing.T) {
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

// TestLargeResourceWithValuesOfConfigMapsIsDeleted adds a value of a ConfigMap to the body. If
// the ConfigMap is missing or may not be read, only the user can tell who made the resource.
func TestLargeResourceWithValuesOfConfigMapsIsDeleted(t *testing.T) {
	for reason, test := range map[string]struct {
		change func(*world)
		left   bool
	}{
		"as it was made":         {func(*world) {}, false},
		"changed":                {func(w *world) { w.configMap("site", "region", "south") }, true},
		"without its key":        {func(w *world) { w.configMap("site", "other", "north") }, true},
		"read by nobody":         {func(w *world) { w.hidden = "ConfigMap" }, true},
		"beside outputs of none": {func(w *world) { w.annotate("Person", "ada", annotation.Outputs, "{") }, true},
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
			if left := w.cloud.Get(ada) != nil; left != test.left || left == w.isGone("Person", "ada") {
				t.Errorf("the resource is left: %t, and the object is gone: %t", left, w.isGone("Person", "ada"))
			}
		})
	}
}

// TestEditedLargeResourceIsNotProven covers a create whose body is too large for the claim, and
// whose answer is lost after its effect. The object changes before an observation. Then nothing
// shows whether the resource is what was sent: only the user can tell, also on deletion.
func TestEditedLargeResourceIsNotProven(t *testing.T) {
	for _, away := range []time.Duration{time.Second, 2 * time.Hour} {
		w := newWorld(t)
		spec := person()
		spec["properties"].(map[string]any)["legalName"] = strings.Repeat("x", 70<<10)
		w.object("Person", "ada", spec)
		w.cloud.After(applyFails(effect.Possible, v2.Reason_REASON_TRANSIENT))
		w.pass("Person", "ada")
		w.cloud.After(nil)
		if sent := w.recorded("Person", "ada").Sent; sent == nil || sent.Body != "" || w.cloud.Get(ada) == nil {
			t.Fatalf("it remembers %+v", sent)
		}
		w.edit("Person", "ada", elsewhere)
		w.later = away
		w.restart()
		w.cloud.Forget()
		w.pass("Person", "ada")
		w.wants("Person", "ada", "False", reconciler.Exists)
		if message := w.condition("Person", "ada", reconciler.Ready).Message; !strings.Contains(message, "may have been made") {
			t.Errorf("after %v it says %q", away, message)
		}
		w.staysInDoubt(away.String())
		w.annotate("Person", "ada", annotation.Adopt, "true")
		if w.passes(3); !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
			t.Errorf("after %v the user adopts it, and outside are %v", away, w.cloud.IDs())
		}
	}
}
