package crdsource_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// named is one kind, in a namespace of the test's own.
func named(t *testing.T, definition string) objects {
	t.Helper()
	s := open(t)
	return s.in(t, s.kinds[definition])
}

// create creates an object of a version that has these members.
func (p objects) create(version, name string, members map[string]any) *unstructured.Unstructured {
	p.Helper()
	object := &unstructured.Unstructured{Object: members}
	object.SetAPIVersion(p.Spec.Group + "/" + version)
	object.SetKind(p.Spec.Names.Kind)
	object.SetName(name)
	return shared.Must(p)(p.Through(version).Create(p.Context(), object, metav1.CreateOptions{}))
}

func (p objects) merge(version, name, patch string) *unstructured.Unstructured {
	p.Helper()
	return shared.Must(p)(p.Through(version).Patch(p.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}))
}

func (p objects) shows(version, name string, want map[string]any) {
	p.Helper()
	if diff := cmp.Diff(want, content(p.Get(version, name))); diff != "" {
		p.Errorf("%s in %s (-want +got):\n%s", name, version, diff)
	}
}

type object = map[string]any

// TestMemberOfAnotherKind: a size is a text in early versions and an object in the latest.
func TestMemberOfAnotherKind(t *testing.T) {
	p := named(t, "gadgets.shop.example.com")
	p.create("v1", "one", object{"data": object{"a": "b"}, "spec": object{"title": "one", "size": object{"width": int64(2)}, "port": "http"}})
	p.shows("v1alpha1", "one", object{"data": object{"a": "b"}, "spec": object{"title": "one", "port": "http"}})
	p.merge("v1alpha1", "one", `{"data":{"a":"c"},"spec":{"port":8080}}`)
	p.shows("v1", "one", object{"data": object{"a": "c"}, "spec": object{"title": "one", "size": object{"width": int64(2)}, "port": int64(8080), "replicas": int64(1)}})
	p.merge("v1beta1", "one", `{"spec":{"size":"large"}}`)
	p.shows("v1beta1", "one", object{"data": object{"a": "c"}, "spec": object{"title": "one", "size": "large", "port": int64(8080), "replicas": int64(1)}})
	p.shows("v1alpha1", "one", object{"data": object{"a": "c"}, "spec": object{"title": "one", "size": "large", "port": int64(8080)}})
}

// TestListThatMergesByKey checks that elements keep their hidden values when an old client
// moves, removes and adds elements.
func TestListThatMergesByKey(t *testing.T) {
	p := named(t, "gadgets.shop.example.com")
	part := func(name string, more object) object {
		more["name"] = name
		return more
	}
	p.create("v1", "one", object{"spec": object{"title": "one", "parts": []any{
		part("a", object{"paint": "red"}), part("b", object{"paint": "blue", "weight": int64(2)}), part("c", object{"paint": "green"}),
	}}})
	visible := p.Get("v1alpha1", "one")
	set(p, visible, []any{part("c", object{}), part("d", object{}), part("b", object{"weight": int64(3)})}, "spec", "parts")
	p.Update("v1alpha1", visible)
	got, _, _ := unstructured.NestedSlice(p.Get("v1", "one").Object, "spec", "parts")
	want := []any{part("c", object{"paint": "green"}), part("d", object{}), part("b", object{"paint": "blue", "weight": int64(3)})}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// An apply in an old version adds an element, and takes none away.
	p.applied("v1alpha1", "one", object{"spec": object{"parts": []any{part("a", object{"weight": int64(1)})}}})
	got, _, _ = unstructured.NestedSlice(p.Get("v1", "one").Object, "spec", "parts")
	if diff := cmp.Diff(append(want, part("a", object{"weight": int64(1)})), got); diff != "" {
		t.Errorf("applied (-want +got):\n%s", diff)
	}
}

func (p objects) applied(version, name string, members object) {
	p.Helper()
	o := &unstructured.Unstructured{Object: members}
	o.SetAPIVersion(p.Spec.Group + "/" + version)
	o.SetKind(p.Spec.Names.Kind)
	o.SetName(name)
	shared.Must(p)(p.Through(version).Apply(p.Context(), name, o, crds.Applying("another")))
}

func set(p objects, o *unstructured.Unstructured, value any, path ...string) {
	p.Helper()
	if err := unstructured.SetNestedField(o.Object, value, path...); err != nil {
		p.Fatal(err)
	}
}

// TestGuardOfStatus: who writes a status must keep the bag in it, and cannot make one up.
func TestGuardOfStatus(t *testing.T) {
	p := named(t, "gadgets.shop.example.com")
	p.write("v1", "one")
	visible := p.Get("v1alpha1", "one")
	for what, status := range map[string]object{
		"without the bag": {"phase": "Gone"}, "with another": {"phase": "Gone", "propertyBag": "{}"},
	} {
		forged := visible.DeepCopy()
		forged.Object["status"] = status
		if _, err := p.Through("v1alpha1").UpdateStatus(p.Context(), forged, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
			t.Errorf("a status %s: %v", what, err)
		}
	}
	// A status that has nothing but the bag is valid in a version that requires a phase; one
	// without a bag is not.
	p.create("v1", "two", object{"secretName": "x", "spec": object{"title": "two"}})
	if bag, has, _ := unstructured.NestedString(p.Get("v1beta1", "two").Object, "status", "propertyBag"); !has || bag == "" {
		t.Error("v1beta1 does not carry the secret's name")
	}
	p.merge("v1beta1", "two", `{"metadata":{"labels":{"a":"b"}}}`)
	three := p.create("v1beta1", "three", object{"spec": object{"title": "three"}})
	set(p, three, object{"ready": true}, "status")
	if _, err := p.Through("v1beta1").UpdateStatus(p.Context(), three, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "phase") {
		t.Errorf("a status without a phase: %v", err)
	}
}

// TestBagInAnnotation checks that the annotation preserves hidden values until a client
// removes it.
func TestBagInAnnotation(t *testing.T) {
	p := named(t, "boxes.shop.example.com")
	const bag = "strata.dev/property-bag"
	all := object{"title": "one", "lid": true, "notes": object{"from": "me"}, "goods": []any{object{"name": "cup", "fragile": true}}}
	p.create("v2", "one", all)
	if visible := p.Get("v1", "one"); visible.GetAnnotations()[bag] == "" {
		t.Fatalf("v1 carries nothing: %v", visible)
	}
	p.merge("v1", "one", `{"title":"two","metadata":{"annotations":{"other":"stays"}}}`)
	p.shows("v2", "one", object{"title": "two", "lid": true, "notes": object{"from": "me"}, "goods": []any{object{"name": "cup", "fragile": true}}})
	if got := p.Get("v2", "one").GetAnnotations(); len(got) != 1 || got["other"] != "stays" {
		t.Errorf("v2 has the annotations %v", got)
	}
	p.merge("v1", "one", `{"metadata":{"annotations":{"`+bag+`":null}}}`)
	p.shows("v2", "one", object{"title": "two", "goods": []any{object{"name": "cup"}}})
}

// TestGoPackage: names, types, values and defaults of an annotated package.
func TestGoPackage(t *testing.T) {
	p := named(t, "widgets.go.example.com")
	p.create("v1alpha1", "one", object{"spec": object{"name": "one", "size": "7", "weight": int64(3), "color": "Azure"}})
	p.shows("v1beta1", "one", object{"spec": object{"title": "one", "size": int64(7), "weight": int64(3), "color": "Azure"}})
	p.shows("v1", "one", object{"spec": object{"title": "one", "size": int64(7), "color": "Blue", "finish": "matt"}})
	p.merge("v1", "one", `{"spec":{"finish":null,"size":8,"color":"Red"}}`)
	p.shows("v1alpha1", "one", object{"spec": object{"name": "one", "size": "8", "weight": int64(3), "color": "Red"}})
	p.merge("v1alpha1", "one", `{"spec":{"name":"two"}}`)
	p.shows("v1", "one", object{"spec": object{"title": "two", "size": int64(8), "color": "Red"}})

	// The version that has the text keeps it, although it is no number, until a client writes a
	// number.
	p.create("v1alpha1", "odd", object{"spec": object{"name": "odd", "size": "huge"}})
	p.shows("v1", "odd", object{"spec": object{"title": "odd", "color": "Red", "finish": "matt"}})
	p.merge("v1", "odd", `{"spec":{"title":"still"}}`)
	p.shows("v1alpha1", "odd", object{"spec": object{"name": "still", "size": "huge", "color": "Red"}})
}
