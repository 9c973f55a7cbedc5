package conversion_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// bag returns the bag in an object of an API version; empty if there is none.
func bag(object *unstructured.Unstructured) string {
	text, _, _ := unstructured.NestedString(object.Object, "status", "propertyBag")
	return text
}

// whole is the content of an object with its original version and generation. Managed fields are
// left out: a bare write to the main resource takes the ownership of hidden fields from other
// managers, but not the fields.
func whole(object *unstructured.Unstructured) map[string]any {
	return map[string]any{
		"labels": object.GetLabels(), "generation": object.GetGeneration(),
		"spec": object.Object["spec"], "status": object.Object["status"],
	}
}

// tampering is done to an object that was read, before it is written back.
var tampering = []struct {
	name string
	do   func(t *testing.T, object *unstructured.Unstructured)
}{
	{"a status without the bag", func(_ *testing.T, o *unstructured.Unstructured) {
		unstructured.RemoveNestedField(o.Object, "status", "propertyBag")
	}},
	{"a bag that is null", func(_ *testing.T, o *unstructured.Unstructured) {
		o.Object["status"].(map[string]any)["propertyBag"] = nil
	}},
	{"an empty bag", func(t *testing.T, o *unstructured.Unstructured) { set(t, o, "", "status", "propertyBag") }},
	{"no status", func(_ *testing.T, o *unstructured.Unstructured) { delete(o.Object, "status") }},
	{"a status that is null", func(_ *testing.T, o *unstructured.Unstructured) { o.Object["status"] = nil }},
	{"a forged bag", func(t *testing.T, o *unstructured.Unstructured) {
		set(t, o, forged(t, bag(o)), "status", "propertyBag")
	}},
}

// forged returns a bag with other values than the true one.
func forged(t *testing.T, text string) string {
	t.Helper()
	var content any
	if err := json.Unmarshal([]byte(text), &content); err != nil {
		t.Fatalf("the bag is %q: %v", text, err)
	}
	altered, err := json.Marshal(alter(content))
	if err != nil {
		t.Fatal(err)
	}
	return string(altered)
}

// alter changes every string that there is.
func alter(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = alter(member)
		}
	case []any:
		for i, element := range v {
			v[i] = alter(element)
		}
	case string:
		return v + " forged"
	}
	return value
}

// TestBagIsGuarded writes a status with every kind of forged bag, which the API server must
// refuse. It writes the same to the main resource, where the status has no effect.
func TestBagIsGuarded(t *testing.T) {
	eachKind(t, func(t *testing.T, p view) {
		version := p.kind.Versions[0]
		p.create(p.kind.latest(), "full")
		before := p.Stored("full")
		for _, test := range tampering {
			object := p.Get(version, "full")
			if bag(object) == "" {
				t.Fatalf("%s shows no bag", version)
			}
			test.do(t, object)
			if _, err := p.Through(version).UpdateStatus(t.Context(), object.DeepCopy(), metav1.UpdateOptions{}); !refused(err) {
				t.Errorf("%s, written to the status: %v", test.name, err)
			}
			if _, err := p.Through(version).Update(t.Context(), object, metav1.UpdateOptions{}); err != nil {
				t.Errorf("%s, written to the main resource: %v", test.name, err)
			}
			if diff := cmp.Diff(whole(before), whole(p.Stored("full"))); diff != "" {
				t.Errorf("%s changed the hub (-before +after):\n%s", test.name, diff)
			}
		}
		for _, patch := range []string{`{"status":{"propertyBag":null}}`, `{"status":{"propertyBag":"{}"}}`, `{"status":null}`} {
			_, err := p.Through(version).Patch(t.Context(), "full", types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
			if !refused(err) {
				t.Errorf("the status patched with %s: %v", patch, err)
			}
		}
		p.checkStaleBag(version, "full")
	})
}

// checkStaleBag writes the bag of an older generation, with the resource version of now.
func (p view) checkStaleBag(version, name string) {
	p.t.Helper()
	stale, latest := p.Get(version, name), p.Get(p.kind.latest(), name)
	hidden := map[string][]string{
		"Person":      {"spec", "properties", "mailingAddress", "postCode"},
		"Party":       {"spec", "properties", "postalAddress", "postCode"},
		"PersonsNote": {"spec", "properties", "context", "page"},
	}
	set(p.t, latest, "newer", hidden[p.kind.name]...)
	written := p.Update(p.kind.latest(), latest)
	before := p.Stored(name)
	stale.SetResourceVersion(written.GetResourceVersion())
	if _, err := p.Through(version).UpdateStatus(p.t.Context(), stale.DeepCopy(), metav1.UpdateOptions{}); !refused(err) {
		p.t.Errorf("a stale bag: %v", err)
	}
	p.Update(version, stale) // the spec is as it was shown, and still is
	if diff := cmp.Diff(whole(before), whole(p.Stored(name))); diff != "" {
		p.t.Errorf("a stale bag changed the hub (-before +after):\n%s", diff)
	}
}

// TestBagWhereNoneWas forges a bag for an object without hidden values, when it is created and
// later. The forged bag is the true bag of another object.
func TestBagWhereNoneWas(t *testing.T) {
	eachKind(t, func(t *testing.T, p view) {
		p.create(p.kind.latest(), "full")
		stolen := bag(p.Get(p.kind.Versions[0], "full"))
		tried := 0
		for _, version := range p.kind.three() {
			p.create(version, "honest-"+version)
			object := p.kind.of(version, "forged-"+version)
			set(t, object, stolen, "status", "propertyBag")
			made := shared.Must(t)(p.Through(version).Create(t.Context(), object, metav1.CreateOptions{}))
			before := p.Stored(made.GetName())
			if diff := cmp.Diff(p.Stored("honest-" + version).Object["spec"], before.Object["spec"]); diff != "" {
				t.Errorf("a bag got into the hub when the object was created (-honest +forged):\n%s", diff)
			}
			if bag(made) != "" {
				continue // what is made of names is remembered
			}
			tried++
			set(t, made, stolen, "status", "propertyBag")
			if _, err := p.Through(version).UpdateStatus(t.Context(), made.DeepCopy(), metav1.UpdateOptions{}); !refused(err) {
				t.Errorf("a bag where none was: %v", err)
			}
			p.Update(version, made)
			if diff := cmp.Diff(whole(before), whole(p.Stored(made.GetName()))); diff != "" {
				t.Errorf("a bag where none was changed the hub (-before +after):\n%s", diff)
			}
		}
		if tried == 0 {
			t.Error("all versions show bags")
		}
	})
}

// TestStatusWritersPass writes statuses as controllers do, of all served versions.
func TestStatusWritersPass(t *testing.T) {
	tier.Long(t, "writes objects of all kinds")
	eachKind(t, func(t *testing.T, p view) {
		p.create(p.kind.latest(), "full")
		want := content(p.Stored("full"))
		for _, version := range p.kind.Versions {
			object := p.Get(version, "full")
			conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
			added := map[string]any{
				"type": "Of" + version, "status": "True", "reason": "Test", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z",
			}
			if err := unstructured.SetNestedSlice(object.Object, append(conditions, added), "status", "conditions"); err != nil {
				t.Fatal(err)
			}
			shared.Must(t)(p.Through(version).UpdateStatus(t.Context(), object, metav1.UpdateOptions{}))
			status := want["status"].(map[string]any)
			status["conditions"] = append(status["conditions"].([]any), added)
			if diff := cmp.Diff(want, content(p.Stored("full"))); diff != "" {
				t.Errorf("a condition through %s (-want +got):\n%s", version, diff)
			}
		}
	})
}
