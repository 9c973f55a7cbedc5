package conversion_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// eachKind runs a test for every kind, in a namespace of its own.
func eachKind(t *testing.T, test func(t *testing.T, p view)) {
	s := open(t)
	for _, k := range s.kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			test(t, s.in(t, k, s.namespace(t)))
		})
	}
}

// TestEveryVersionCanBeUsed writes through every version, and reads, lists and watches through all
// of them.
func TestEveryVersionCanBeUsed(t *testing.T) {
	eachKind(t, func(t *testing.T, p view) {
		watches := map[string]watch.Interface{}
		for _, version := range p.kind.Served() {
			w, err := p.Through(version).Watch(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Stop()
			watches[version] = w
		}
		for _, version := range p.kind.Served() {
			p.write(version, version)
		}
		for _, version := range p.kind.Served() {
			p.checkRead(version)
			p.checkWatched(version, watches[version])
		}
	})
}

// write creates, updates, patches and applies an object through a version, each with a label of its
// own.
func (p view) write(version, name string) {
	p.t.Helper()
	made := p.create(version, name)
	made.SetLabels(map[string]string{"updated": "yes"})
	p.Update(version, made)
	patch := []byte(`{"metadata":{"labels":{"patched":"yes"}}}`)
	shared.Must(p.t)(p.Through(version).Patch(p.t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}))
	applied := p.kind.of(version, name)
	applied.SetLabels(map[string]string{"applied": "yes"})
	shared.Must(p.t)(p.Through(version).Apply(p.t.Context(), name, applied, crds.Applying("another")))
}

// checkRead reads and lists the objects of all versions through one.
func (p view) checkRead(version string) {
	p.t.Helper()
	list, err := p.Through(version).List(p.t.Context(), metav1.ListOptions{})
	if err != nil {
		p.t.Fatal(err)
	}
	if len(list.Items) != len(p.kind.Served()) {
		p.t.Errorf("%s lists %d objects, want %d", version, len(list.Items), len(p.kind.Served()))
	}
	for _, listed := range list.Items {
		got := p.Get(version, listed.GetName())
		if diff := cmp.Diff(got.Object, listed.Object); diff != "" {
			p.t.Errorf("%s lists another %s than it shows (-shows +lists):\n%s", version, listed.GetName(), diff)
		}
		if err := p.is(version, got); err != nil {
			p.t.Error(err)
		}
		if got.GetName() == version {
			p.checkSpec(version, got)
		}
	}
}

// checkSpec compares an object with the spec that was written through the same version.
func (p view) checkSpec(version string, got *unstructured.Unstructured) {
	p.t.Helper()
	for _, property := range []string{"spec", "status"} {
		visible, _, _ := unstructured.NestedMap(got.Object, property)
		delete(visible, "propertyBag")
		if diff := cmp.Diff(p.kind.filled(version, property), visible); diff != "" {
			p.t.Errorf("%s through %s (-written +read):\n%s", property, version, diff)
		}
	}
}

// is returns an error if an object is not the one that write has written.
func (p view) is(version string, got *unstructured.Unstructured) error {
	want := p.kind.Spec.Group + "/" + version
	labels := fmt.Sprint(got.GetLabels())
	if got.GetAPIVersion() != want || got.GetKind() != p.kind.name || labels != "map[applied:yes patched:yes updated:yes]" {
		return fmt.Errorf("%s in %s is a %s in %s with %s", got.GetName(), version, got.GetKind(), got.GetAPIVersion(), labels)
	}
	return nil
}

// checkWatched waits until a watch has sent the last change of every object.
func (p view) checkWatched(version string, w watch.Interface) {
	p.t.Helper()
	missing := map[string]bool{}
	for _, other := range p.kind.Served() {
		missing[other] = true
	}
	limit := time.After(crds.Patience)
	for len(missing) > 0 {
		select {
		case event, open := <-w.ResultChan():
			object, isObject := event.Object.(*unstructured.Unstructured)
			if !open || !isObject || !strings.HasSuffix(object.GetAPIVersion(), "/"+version) {
				p.t.Fatalf("the watch of %s tells %v of %v", version, event.Type, event.Object)
			}
			if p.is(version, object) == nil {
				delete(missing, object.GetName())
			}
		case <-limit:
			p.t.Fatalf("the watch of %s does not tell of %v", version, missing)
		}
	}
}
