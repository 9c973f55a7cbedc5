package conversion_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// TestLaws is about every pair of the version that an object is written in first and the version
// that it is read and written in then.
func TestLaws(t *testing.T) {
	tier.Long(t, "writes each kind through each pair of versions")
	eachKind(t, func(t *testing.T, p view) {
		for _, first := range p.kind.Served() {
			p.create(first, first)
			for n, then := range p.kind.Versions {
				p.checkLaws(first, then, fmt.Sprintf("00000000-0000-0000-0000-%012d", n))
			}
		}
	})
}

// checkLaws reads an object through a version and writes it back, which must cause no write in
// etcd. Then it edits the object, which must change nothing else. If the object lacks a member
// that the version requires, the API server must refuse the edit with an error that names it.
func (p view) checkLaws(name, version, text string) {
	p.t.Helper()
	want, object := p.Stored(name), p.Get(version, name)
	object = p.Update(version, object)
	if object.GetResourceVersion() != want.GetResourceVersion() {
		p.t.Errorf("%s was read and written back in %s, and the hub changed (-before +after):\n%s", name, version,
			cmp.Diff(want.Object, p.Stored(name).Object))
	}
	lacks := p.kind.lacks(version, object)
	set(p.t, object, text, p.kind.text...)
	_, err := p.Through(version).Update(p.t.Context(), object, metav1.UpdateOptions{})
	if len(lacks) > 0 {
		if !refused(err) || !strings.Contains(err.Error(), lacks[0]) {
			p.t.Errorf("%s lacks %v, and editing it through %s says %v", name, lacks, version, err)
		}
		return
	}
	if err != nil {
		p.t.Errorf("edit %s through %s: %v", name, version, err)
		return
	}
	set(p.t, want, text, p.kind.text...)
	if diff := cmp.Diff(content(want), content(p.Stored(name))); diff != "" {
		p.t.Errorf("%s was edited in %s, and the hub changed (-want +got):\n%s", name, version, diff)
	}
}

func set(t testing.TB, object *unstructured.Unstructured, value any, path ...string) {
	t.Helper()
	if err := unstructured.SetNestedField(object.Object, value, path...); err != nil {
		t.Fatal(err)
	}
}

// content is what users have written of an object: its spec but for the original version, and its
// status.
func content(object *unstructured.Unstructured) map[string]any {
	all := map[string]any{}
	for _, property := range []string{"spec", "status"} {
		all[property] = runtime.DeepCopyJSONValue(object.Object[property])
	}
	unstructured.RemoveNestedField(all, "spec", "originalVersion")
	return all
}
