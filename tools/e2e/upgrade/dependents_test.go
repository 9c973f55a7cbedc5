package upgrade_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// owned creates a ConfigMap that a widget owns, as a controller names it in a version.
func (s *site) owned(version string, by *unstructured.Unstructured) {
	s.t.Helper()
	shared.Must(s.t)(s.client.Resource(configMaps).Namespace(s.namespace).Create(s.t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "of-" + version, "ownerReferences": []any{map[string]any{
			"apiVersion": s.kind.Spec.Group + "/" + version, "kind": "Widget", "name": by.GetName(), "uid": string(by.GetUID()), "controller": true, "blockOwnerDeletion": true,
		}}},
	}}, metav1.CreateOptions{}))
}

// permit gives the user of the command another role.
func (s *site) permit(name string, rules ...any) {
	s.t.Helper()
	name += "-of-" + s.kind.Spec.Group
	s.create("clusterroles", map[string]any{"kind": "ClusterRole", "metadata": map[string]any{"name": name}, "rules": rules})
	s.create("clusterrolebindings", map[string]any{"kind": "ClusterRoleBinding", "metadata": map[string]any{"name": name},
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "migrator-of-" + s.kind.Spec.Group}},
	})
}

// TestOwnerReferencesOfDependents heals the references of objects that widgets own. Without the
// rights, the command names what it did not read. A second run writes nothing.
func TestOwnerReferencesOfDependents(t *testing.T) {
	tier.Long(t, "upgrades owners of objects")
	s := open(t, "dependents.example.com")
	s.fill(2)
	owner := s.all()["filled-0"]
	s.owned("v1", owner)
	s.owned("v2", owner)
	s.store("v2")
	if _, code, messages := s.migrate("--gone", "v1", "--dependents"); code != 2 || !strings.Contains(messages, "not all owner references are healed") {
		t.Errorf("without rights: exit code %d\n%s", code, messages)
	}
	s.permit("heals",
		map[string]any{"apiGroups": []any{"*"}, "resources": []any{"*"}, "verbs": []any{"list"}},
		map[string]any{"apiGroups": []any{""}, "resources": []any{"configmaps"}, "verbs": []any{"get", "patch"}},
	)
	for i, want := range []int{1, 0} {
		r, code, messages := s.migrate("--gone", "v1", "--dependents")
		if code != 0 || r.Dependents == nil || r.Dependents.Written != want || r.Dependents.Failed != 0 {
			t.Errorf("run %d: exit code %d, %+v\n%s", i, code, r.Dependents, messages)
		}
	}
	for _, version := range []string{"v1", "v2"} {
		m := shared.Must(t)(s.client.Resource(configMaps).Namespace(s.namespace).Get(t.Context(), "of-"+version, metav1.GetOptions{}))
		got := fmt.Sprint(m.GetOwnerReferences()[0].APIVersion, " ", m.GetOwnerReferences()[0].UID, " ", *m.GetOwnerReferences()[0].Controller)
		if want := fmt.Sprint(s.kind.Spec.Group, "/v2 ", owner.GetUID(), " true"); got != want || len(m.GetOwnerReferences()) != 1 {
			t.Errorf("%s has the reference %s, want %s", m.GetName(), got, want)
		}
	}
}

// TestOwnersOfOwnerReferences has a controller that applies a reference. After the references are
// healed, the controller owns it as before: the next manifest changes nothing, the old one meets no
// conflict, and one without the reference removes it. The same holds after a kill between the two
// writes of an object.
func TestOwnersOfOwnerReferences(t *testing.T) {
	tier.Long(t, "upgrades owners of objects")
	s := open(t, "references.example.com")
	s.fill(1)
	owner := s.all()["filled-0"]
	objects := s.client.Resource(configMaps).Namespace(s.namespace)
	apply := func(name, version string) (*unstructured.Unstructured, error) {
		m := map[string]any{"name": name}
		if version != "" {
			m["ownerReferences"] = []any{map[string]any{
				"apiVersion": s.kind.Spec.Group + "/" + version, "kind": "Widget", "name": owner.GetName(), "uid": string(owner.GetUID()),
			}}
		}
		return objects.Apply(t.Context(), name, &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m}}, metav1.ApplyOptions{FieldManager: "controller"})
	}
	owners := func(o *unstructured.Unstructured) (out []string) {
		for _, e := range o.GetManagedFields() {
			out = append(out, fmt.Sprint(e.Manager, " ", e.Operation, " ", e.FieldsV1.GetRawString()))
		}
		return out
	}
	before := map[string][]string{}
	for _, name := range []string{"whole", "killed"} {
		before[name] = owners(shared.Must(t)(apply(name, "v1")))
	}
	text := func(value any) string {
		out, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	note := text(shared.Must(t)(objects.Get(t.Context(), "killed", metav1.GetOptions{})).GetManagedFields())
	first := text(map[string]any{"metadata": map[string]any{
		"annotations": map[string]any{"cluster.strata.dev/field-owners": note},
		"ownerReferences": []any{map[string]any{
			"apiVersion": s.kind.Spec.Group + "/v2", "kind": "Widget", "name": owner.GetName(), "uid": string(owner.GetUID()),
		}},
	}})
	shared.Must(t)(objects.Patch(t.Context(), "killed", types.MergePatchType, []byte(first), metav1.PatchOptions{FieldManager: "strata-cluster-heal"}))
	if _, err := apply("killed", "v1"); !apierrors.IsConflict(err) {
		t.Fatalf("after the first write alone, an apply meets no conflict: %v", err)
	}
	s.store("v2")
	s.permit("heals",
		map[string]any{"apiGroups": []any{"*"}, "resources": []any{"*"}, "verbs": []any{"list"}},
		map[string]any{"apiGroups": []any{""}, "resources": []any{"configmaps"}, "verbs": []any{"get", "patch"}},
	)
	for i, want := range []int{2, 0} {
		r, code, messages := s.migrate("--gone", "v1", "--dependents")
		if code != 0 || r.Dependents == nil || r.Dependents.Written != want {
			t.Fatalf("run %d: exit code %d, %+v\n%s", i, code, r.Dependents, messages)
		}
	}
	for name, want := range before {
		o := shared.Must(t)(objects.Get(t.Context(), name, metav1.GetOptions{}))
		if diff := cmp.Diff(want, owners(o)); diff != "" || len(o.GetAnnotations()) > 0 {
			t.Errorf("%s: annotations %v, owners (-before +after):\n%s", name, o.GetAnnotations(), diff)
		}
		if next := shared.Must(t)(apply(name, "v2")); next.GetResourceVersion() != o.GetResourceVersion() {
			t.Errorf("%s: the manifest of the next version changes the object: %v", name, owners(next))
		}
		shared.Must(t)(apply(name, "v1"))
		if bare := shared.Must(t)(apply(name, "")); len(bare.GetOwnerReferences()) > 0 {
			t.Errorf("%s: the manifest without the reference leaves %v", name, bare.GetOwnerReferences())
		}
	}
}
