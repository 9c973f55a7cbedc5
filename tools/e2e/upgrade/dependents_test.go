package upgrade_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

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
