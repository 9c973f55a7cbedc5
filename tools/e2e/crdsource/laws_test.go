package crdsource_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestEveryVersionShowsWrittenValues writes through every version and reads through it, and
// through all others.
func TestEveryVersionShowsWrittenValues(t *testing.T) {
	eachKind(t, func(p objects) {
		for _, first := range p.Versions {
			p.write(first, first)
			written, read := content(p.of(first, first)), content(p.Get(first, first))
			p.contains(read, written, "written and read in "+first)
			for _, then := range p.Served() {
				list, err := p.Through(then).List(p.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + first})
				if err != nil || len(list.Items) != 1 {
					p.Fatalf("%s lists %v: %v", then, list, err)
				}
				if diff := cmp.Diff(p.Get(then, first).Object, list.Items[0].Object); diff != "" {
					p.Errorf("%s lists another object than it shows (-shows +lists):\n%s", then, diff)
				}
			}
		}
	})
}

// TestOldClientsKeepNewData tests every pair of a version in which an object is written first and
// a version in which it is read and written then. Nothing but the edited value may change.
func TestOldClientsKeepNewData(t *testing.T) {
	eachKind(t, func(p objects) {
		for _, first := range p.Versions {
			p.write(first, first)
			for n, then := range p.Versions {
				p.writesBack(first, then)
				p.labels(first, then)
				if len(p.text) > 0 {
					p.edits(first, then, fmt.Sprintf("patched-%d", n), p.patch)
					p.edits(first, then, fmt.Sprintf("applied-%d", n), p.apply)
				}
				if len(p.status) > 0 {
					p.changeStatus(first, then, fmt.Sprintf("said-%d", n))
				}
			}
		}
	})
}

// writesBack reads an object through a version and writes it back, which must cause no write in
// etcd, unless the version has defaults for absent values.
func (p objects) writesBack(name, version string) {
	p.Helper()
	before := p.Stored(name)
	p.Update(version, p.Get(version, name))
	after := p.Stored(name)
	if p.defaults {
		p.contains(content(after), content(before), name+" was read and written back in "+version)
		before = after
		p.Update(version, p.Get(version, name))
		after = p.Stored(name)
	}
	if before.GetResourceVersion() != after.GetResourceVersion() {
		p.Errorf("%s was read and written back in %s (-before +after):\n%s", name, version, cmp.Diff(before.Object, after.Object))
	}
}

// labels writes metadata through a version.
func (p objects) labels(name, version string) {
	p.Helper()
	want := content(p.Stored(name))
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:"yes"},"annotations":{%[1]q:"yes"}}}`, version)
	shared.Must(p)(p.Through(version).Patch(p.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}))
	got := p.Stored(name)
	if got.GetLabels()[version] != "yes" || got.GetAnnotations()[version] != "yes" {
		p.Errorf("labelled through %s, it has %v", version, got.Object["metadata"])
	}
	if diff := cmp.Diff(want, content(got)); diff != "" {
		p.Errorf("%s was labelled through %s (-before +after):\n%s", name, version, diff)
	}
}

// edits changes one text through a version.
func (p objects) edits(name, version, text string, edit func(version, name, text string)) {
	p.Helper()
	want := p.Stored(name)
	edit(version, name, text)
	if err := unstructured.SetNestedField(want.Object, text, p.stands(p.text)...); err != nil {
		p.Fatal(err)
	}
	if diff := cmp.Diff(content(want), content(p.Stored(name))); diff != "" {
		p.Errorf("%s was edited through %s: %s (-want +got):\n%s", name, version, text, diff)
	}
}

func (p objects) patch(version, name, text string) {
	p.Helper()
	patch, err := json.Marshal(nested(text, p.text...))
	if err != nil {
		p.Fatal(err)
	}
	shared.Must(p)(p.Through(version).Patch(p.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}))
}

func (p objects) apply(version, name, text string) {
	p.Helper()
	object := &unstructured.Unstructured{Object: nested(text, p.text...)}
	object.SetAPIVersion(p.Spec.Group + "/" + version)
	object.SetKind(p.Spec.Names.Kind)
	object.SetName(name)
	shared.Must(p)(p.Through(version).Apply(p.Context(), name, object, crds.Applying("applier")))
}

// changeStatus changes the status through a version, by a patch and by an update, neither of which
// changes the spec.
func (p objects) changeStatus(name, version, text string) {
	p.Helper()
	for _, how := range []string{"patched", "updated"} {
		want := p.Stored(name)
		if how == "patched" {
			patch, err := json.Marshal(nested(how+text, p.status...))
			if err != nil {
				p.Fatal(err)
			}
			shared.Must(p)(p.Through(version).Patch(p.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}, "status"))
		} else {
			object := p.Get(version, name)
			if err := unstructured.SetNestedField(object.Object, how+text, p.status...); err != nil {
				p.Fatal(err)
			}
			unstructured.RemoveNestedField(object.Object, "spec")
			p.Update(version, object, "status")
		}
		if err := unstructured.SetNestedField(want.Object, how+text, p.status...); err != nil {
			p.Fatal(err)
		}
		if diff := cmp.Diff(content(want), content(p.Stored(name))); diff != "" {
			p.Errorf("the status of %s was %s through %s (-want +got):\n%s", name, how, version, diff)
		}
	}
}

// TestOneManagerThroughTwoVersions applies all values in the latest version, then the visible
// ones in the first version, then all in the latest again. If the bag is in the status, the
// values that the first version hides stay. From an annotation the API server removes the fields
// that the manager owned and no longer applies, as the guide describes.
func TestOneManagerThroughTwoVersions(t *testing.T) {
	eachKind(t, func(p objects) {
		first, latest := p.Versions[0], p.Versions[len(p.Versions)-1]
		apply := func(object *unstructured.Unstructured) {
			p.Helper()
			if p.hasStatus(object.GroupVersionKind().Version) {
				delete(object.Object, "status")
			}
			shared.Must(p)(p.Through(object.GroupVersionKind().Version).Apply(p.Context(), "one", object, crds.Applying("one")))
		}
		apply(p.of(latest, "one"))
		before := content(p.Stored("one"))
		visible := p.Get(first, "one")
		old := &unstructured.Unstructured{Object: content(visible)}
		delete(old.Object, "status")
		old.SetAPIVersion(visible.GetAPIVersion())
		old.SetKind(visible.GetKind())
		old.SetName("one")
		apply(old)
		if p.hasStatus(first) {
			p.contains(content(p.Stored("one")), before, "applied in "+first)
		}
		p.contains(content(p.Get(first, "one")), content(visible), "applied and read in "+first)
		apply(p.of(latest, "one"))
		p.contains(content(p.Stored("one")), before, "applied in "+latest+" again")
	})
}

// TestBagsAreNotStored requires that no stored object has the bag that API versions have for
// other versions.
func TestBagsAreNotStored(t *testing.T) {
	eachKind(t, func(p objects) {
		latest := p.Versions[len(p.Versions)-1]
		p.write(latest, "one")
		for _, version := range p.Versions {
			visible := text(p, p.Get(version, "one").Object)
			if !p.hasStatus(version) && strings.Contains(visible, `"propertyBag":"`) {
				p.Errorf("%s has no status subresource, and a bag in its status: %s", version, visible)
			}
			p.labels("one", version)
		}
		stored := text(p, p.Stored("one").Object)
		for _, bag := range []string{"strata.dev/property-bag", `"propertyBag"`} {
			if strings.Contains(stored, bag) {
				p.Errorf("%s is stored: %s", bag, stored)
			}
		}
	})
}

// content is what users have written of an object: all but its metadata, the original version, and
// what versions carry.
func content(object *unstructured.Unstructured) map[string]any {
	all := runtime.DeepCopyJSON(object.Object)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(all, name)
	}
	unstructured.RemoveNestedField(all, "spec", "originalVersion")
	unstructured.RemoveNestedField(all, "status", "propertyBag")
	if status, ok := all["status"].(map[string]any); ok && len(status) == 0 {
		delete(all, "status")
	}
	return all
}

// contains requires that all of a value is in another, which may have more members.
func (p objects) contains(whole, part any, what string) {
	p.Helper()
	if path := lacks("", whole, part); path != "" {
		p.Errorf("%s: at %s (-part +whole):\n%s", what, path, cmp.Diff(part, whole))
	}
}

// lacks is where a value does not have what another has; empty if it has all.
func lacks(path string, whole, part any) string {
	switch part := part.(type) {
	case map[string]any:
		w, ok := whole.(map[string]any)
		if !ok {
			return path + "{}"
		}
		for name, member := range part {
			if at := lacks(path+"."+name, w[name], member); at != "" {
				return at
			}
		}
		return ""
	case []any:
		w, ok := whole.([]any)
		if !ok || len(w) != len(part) {
			return path + "[]"
		}
		for i, element := range part {
			if at := lacks(fmt.Sprintf("%s[%d]", path, i), w[i], element); at != "" {
				return at
			}
		}
		return ""
	}
	if !reflect.DeepEqual(whole, part) {
		return path
	}
	return ""
}

func text(p objects, value any) string {
	p.Helper()
	body, err := json.Marshal(value)
	if err != nil {
		p.Fatal(err)
	}
	return string(body)
}
