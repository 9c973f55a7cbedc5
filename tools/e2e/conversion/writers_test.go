package conversion_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestOneManagerThroughTwoVersions applies a manifest in the latest version, then one in the
// first version with its visible values, then the one in the latest again.
func TestOneManagerThroughTwoVersions(t *testing.T) {
	eachKind(t, func(t *testing.T, p view) {
		first, latest := p.kind.Versions[0], p.kind.latest()
		apply := func(object *unstructured.Unstructured) map[string]any {
			t.Helper()
			shared.Must(t)(p.Through(object.GroupVersionKind().Version).Apply(t.Context(), "one", object, crds.Applying("one")))
			return content(p.Stored("one"))
		}
		want := apply(p.kind.of(latest, "one"))
		old := p.kind.of(first, "one")
		old.Object["spec"] = p.Get(first, "one").Object["spec"]
		for _, object := range []*unstructured.Unstructured{old, p.kind.of(latest, "one")} {
			if diff := cmp.Diff(want, apply(object)); diff != "" {
				t.Errorf("applied in %s, the hub changed (-before +after):\n%s", object.GetAPIVersion(), diff)
			}
		}
		// A property that the manager owned throughout goes when the manager does not name it any
		// more.
		less := p.kind.of(latest, "one")
		unstructured.RemoveNestedField(less.Object, "spec", "azureName")
		delete(want["spec"].(map[string]any), "azureName")
		if diff := cmp.Diff(want, apply(less)); diff != "" {
			t.Errorf("applied without a property (-want +got):\n%s", diff)
		}
	})
}

// TestTwoManagersInTwoVersions lets each own some of the object, in a version of its own.
func TestTwoManagersInTwoVersions(t *testing.T) {
	eachKind(t, func(t *testing.T, p view) {
		first, latest := p.kind.Versions[0], p.kind.latest()
		old := p.kind.of(first, "both")
		old.Object["spec"] = map[string]any{"properties": map[string]any{}, "azureName": "of the old one"}
		set(t, old, "00000000-0000-0000-0000-000000000001", p.kind.text...)
		recent := p.kind.of(latest, "both")
		unstructured.RemoveNestedField(recent.Object, p.kind.text...)
		unstructured.RemoveNestedField(recent.Object, "spec", "azureName")
		if p.kind.name != "Person" { // which requires nothing in its first version that it does in its latest
			set(t, recent, "00000000-0000-0000-0000-000000000001", p.kind.text...)
		}
		for range 2 {
			shared.Must(t)(p.Through(latest).Apply(t.Context(), "both", recent, crds.Applying("recent")))
			shared.Must(t)(p.Through(first).Apply(t.Context(), "both", old, crds.Applying("old")))
		}
		want := p.kind.filled(latest, "spec")
		both := &unstructured.Unstructured{Object: map[string]any{"spec": want}}
		set(t, both, "00000000-0000-0000-0000-000000000001", p.kind.text...)
		set(t, both, "of the old one", "spec", "azureName")
		if diff := cmp.Diff(want, content(p.Stored("both"))["spec"]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		unstructured.RemoveNestedField(old.Object, "spec", "azureName")
		delete(want, "azureName")
		shared.Must(t)(p.Through(first).Apply(t.Context(), "both", old, crds.Applying("old")))
		if diff := cmp.Diff(want, content(p.Stored("both"))["spec"]); diff != "" {
			t.Errorf("the old manager gave up what it owns (-want +got):\n%s", diff)
		}
	})
}

// TestBareWrite puts an object that has nothing but its name, its resource version and its spec.
func TestBareWrite(t *testing.T) {
	eachKind(t, func(t *testing.T, p view) {
		p.create(p.kind.latest(), "full")
		want := content(p.Stored("full"))
		for _, version := range p.kind.Versions {
			visible := p.Get(version, "full")
			p.Update(version, &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": visible.GetAPIVersion(), "kind": visible.GetKind(), "spec": visible.Object["spec"],
				"metadata": map[string]any{"name": "full", "resourceVersion": visible.GetResourceVersion()},
			}})

			if diff := cmp.Diff(want, content(p.Stored("full"))); diff != "" {
				t.Errorf("a bare write through %s (-before +after):\n%s", version, diff)
			}
		}
	})
}

// TestFiveWritersAtOnce lets five clients in five versions count, each in a tag of its own.
func TestFiveWritersAtOnce(t *testing.T) {
	tier.Long(t, "writes objects for long")
	const writers, rounds = 5, 4
	s := open(t)
	for _, k := range s.kinds {
		if k.name == "PersonsNote" {
			continue // which has no tags
		}
		p := s.in(t, k, s.namespace(t))
		p.create(k.latest(), "full")
		want := content(p.Stored("full"))
		var all sync.WaitGroup
		for i := range writers {
			tag := fmt.Sprintf("writer-%d", i)
			set(t, &unstructured.Unstructured{Object: want}, fmt.Sprint(rounds), "spec", "tags", tag)
			all.Go(func() {
				for n := range rounds {
					if err := p.count(k.Versions[i*(len(k.Versions)-1)/(writers-1)], tag, fmt.Sprint(n+1)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if diff := cmp.Diff(want, content(p.Stored("full"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k.name, diff)
		}
	}
}

// count writes a tag, again where another client has written in between.
func (p view) count(version, tag, text string) error {
	for {
		object, err := p.Through(version).Get(p.t.Context(), "full", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := unstructured.SetNestedField(object.Object, text, "spec", "tags", tag); err != nil {
			return err
		}
		if _, err = p.Through(version).Update(p.t.Context(), object, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			return err
		}
	}
}

// TestHiddenValuesStayWithTheirOwners edits the members of a party through the version that does
// not know of shares.
func TestHiddenValuesStayWithTheirOwners(t *testing.T) {
	member := func(name string, share any) map[string]any {
		m := map[string]any{"personName": name, "role": "Owner"}
		if share != nil {
			m["share"] = share
		}
		return m
	}
	a, b, c := member("a", 0.5), member("b", 0.25), member("c", 0.125)
	visible := func(name string) map[string]any { return member(name, nil) }
	tests := []struct {
		reason     string
		edit, want []any
	}{
		{"what goes takes its share along", []any{visible("b"), visible("c")}, []any{b, c}},
		{"what is new has none", []any{visible("a"), visible("n"), visible("b"), visible("c")}, []any{a, member("n", nil), b, c}},
		{"what moves keeps its own", []any{visible("c"), visible("a"), visible("b")}, []any{c, a, b}},
		{"what is edited keeps its own", []any{visible("a"), map[string]any{"personName": "b", "role": "Adviser"}, visible("c")},
			[]any{a, map[string]any{"personName": "b", "role": "Adviser", "share": 0.25}, c}},
		{"nobody inherits", []any{}, []any{}},
	}
	s := open(t)
	party := s.kinds[0]
	p := s.in(t, party, s.namespace(t))
	for i, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			name := fmt.Sprintf("party-%d", i)
			object := party.of(party.latest(), name)
			set(t, object, []any{a, b, c}, "spec", "properties", "members")
			shared.Must(t)(p.Through(party.latest()).Create(t.Context(), object, metav1.CreateOptions{}))
			want := content(p.Stored(name))
			set(t, &unstructured.Unstructured{Object: want}, test.want, "spec", "properties", "members")
			old := p.Get(party.Versions[0], name)
			set(t, old, test.edit, "spec", "properties", "members")
			p.Update(party.Versions[0], old)
			if diff := cmp.Diff(want, content(p.Stored(name))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCreatingFromBackup checks a documented limit. Values that an old version hides are in its
// status, which the API server drops when an object is created. A backup through the hub is
// complete.
func TestCreatingFromBackup(t *testing.T) {
	eachKind(t, func(t *testing.T, p view) {
		for _, version := range []string{p.kind.Versions[0], p.kind.Hub} {
			p.create(p.kind.latest(), "full")
			before, backup := p.Stored("full"), p.Get(version, "full")
			if err := p.Through(version).Delete(t.Context(), "full", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			backup.SetResourceVersion("")
			backup.SetUID("")
			shared.Must(t)(p.Through(version).Create(t.Context(), backup, metav1.CreateOptions{}))
			if diff := cmp.Diff(backup.Object["spec"], p.Get(version, "full").Object["spec"]); diff != "" {
				t.Errorf("restored through %s (-backup +restored):\n%s", version, diff)
			}
			lost := cmp.Diff(before.Object["spec"], p.Stored("full").Object["spec"])
			if (lost == "") != (version == p.kind.Hub) {
				t.Errorf("restored through %s, the hub's spec (-before +after):\n%s", version, lost)
			}
			if err := p.Through(version).Delete(t.Context(), "full", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestNoBagIsStored looks at what etcd holds after writers of all kinds.
func TestNoBagIsStored(t *testing.T) {
	tier.Long(t, "writes objects of all kinds")
	eachKind(t, func(t *testing.T, p view) {
		p.create(p.kind.latest(), "full")
		for _, version := range p.kind.Versions {
			object := p.Get(version, "full")
			object.SetLabels(map[string]string{"through": version})
			object = p.Update(version, object)
			shared.Must(t)(p.Through(version).UpdateStatus(t.Context(), object, metav1.UpdateOptions{}))
			applied := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": object.GetAPIVersion(), "kind": object.GetKind(), "metadata": map[string]any{"name": "full"}, "status": object.Object["status"],
			}}
			shared.Must(t)(p.Through(version).ApplyStatus(t.Context(), "full", applied, crds.Applying("controller")))
			value := p.stored("full")
			var stored unstructured.Unstructured
			if err := json.Unmarshal(value, &stored.Object); err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(stored.GetAPIVersion(), "/"+p.kind.Hub) {
				t.Errorf("after a write through %s, etcd holds %s", version, stored.GetAPIVersion())
			}
			if bag(&stored) != "" {
				t.Errorf("after a write through %s, etcd holds the bag %s", version, bag(&stored))
			}
		}
	})
}

func (p view) key(name string) string {
	return strings.Join([]string{"/registry", p.kind.Spec.Group, p.kind.Spec.Names.Plural, p.Namespace, name}, "/")
}

// stored is what etcd holds of an object.
func (p view) stored(name string) []byte {
	p.t.Helper()
	value, err := open(p.t).Stored(p.t.Context(), p.key(name))
	if err != nil || value == nil {
		p.t.Fatalf("etcd holds %q (%v)", value, err)
	}
	return value
}

// TestLargeBag hides half a megabyte from the first version, which then is used as always.
func TestLargeBag(t *testing.T) {
	tier.Long(t, "writes large objects")
	s := open(t)
	note := s.kinds[2]
	p := s.in(t, note, s.namespace(t))
	object := note.of(note.latest(), "large")
	set(t, object, strings.Repeat("half a megabyte ", 32<<10), "spec", "properties", "context")
	shared.Must(t)(p.Through(note.latest()).Create(t.Context(), object, metav1.CreateOptions{}))
	want, first := content(p.Stored("large")), note.Versions[0]
	old := p.Get(first, "large")
	if len(bag(old)) < 500_000 {
		t.Fatalf("the bag has %d bytes", len(bag(old)))
	}
	old.SetLabels(map[string]string{"read": "yes"})
	old = p.Update(first, old)
	old = shared.Must(t)(p.Through(first).UpdateStatus(t.Context(), old, metav1.UpdateOptions{}))
	set(t, old, "edited", note.text...)
	p.Update(first, old)
	set(t, &unstructured.Unstructured{Object: want}, "edited", note.text...)
	if diff := cmp.Diff(want, content(p.Stored("large"))); diff != "" {
		t.Errorf("(-want +got):\n%.2000s", diff)
	}
}

// TestOriginalVersion follows it through writes that change it and writes that must not.
func TestOriginalVersion(t *testing.T) {
	eachKind(t, func(t *testing.T, p view) {
		first, latest := p.kind.Versions[0], p.kind.latest()
		check := func(name, reason, want string) {
			t.Helper()
			got, _, _ := unstructured.NestedString(p.Stored(name).Object, "spec", "originalVersion")
			if got != want {
				t.Errorf("%s: the original version is %q, want %q", reason, got, want)
			}
		}
		edit := func(version, name, text string) {
			t.Helper()
			object := p.Get(version, name)
			set(t, object, text, p.kind.text...)
			p.Update(version, object)
		}
		p.create(first, "little")
		check("little", "created", first)
		p.Update(latest, p.Get(latest, "little"))
		check("little", "written back in the latest version", first)
		edit(latest, "little", "00000000-0000-0000-0000-000000000001")
		check("little", "edited in the latest version", latest)
		edit(first, "little", "00000000-0000-0000-0000-000000000002")
		check("little", "edited in the first version, which represents it all", first)
		p.create(latest, "full")
		edit(first, "full", "00000000-0000-0000-0000-000000000003")
		check("full", "edited in the first version, which cannot represent it all", latest)
	})
}
