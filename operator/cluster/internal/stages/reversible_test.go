package stages

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/record"
)

// TestReversibleKinds has an upgrade of several kinds, of which prune has reached some. One kind
// without a way back is enough to refuse a rollback, wherever it is among them.
func TestReversibleKinds(t *testing.T) {
	// state is a CRD after prune has begun.
	type state struct {
		from, to string
		stored   []any
		unserved bool // Unserve has reached it
		removed  bool // and Prune has removed its versions
	}
	moved := func(stored ...any) state { return state{from: "v1", to: "v2", stored: stored, unserved: true} }
	same := state{from: "v2", to: "v2", stored: []any{"v2"}, unserved: true}
	gone := state{from: "v2", to: "v2", stored: []any{"v2"}, removed: true}
	fresh := state{from: "", to: "v2", stored: []any{"v2"}}
	for _, test := range []struct {
		reason string
		goal   record.Goal
		kinds  []state
		lost   string // the kind that has no version to go back to
	}{
		{"Unserve has reached all kinds", record.Pruned, []state{moved("v1", "v2"), same, moved("v1", "v2")}, ""},
		{"Unserve has reached no kind", record.Pruned, []state{{from: "v1", to: "v2", stored: []any{"v1", "v2"}}, {from: "v2", to: "v2", stored: []any{"v2"}}}, ""},
		{"the first kind is shortened", record.Pruned, []state{moved("v2"), moved("v1", "v2")}, "k0"},
		{"the last kind is shortened", record.Pruned, []state{moved("v1", "v2"), same, moved("v2")}, "k2"},
		{"a kind whose hub stays has lost its versions", record.Pruned, []state{moved("v1", "v2"), gone}, "k1"},
		{"all kinds are pruned", record.Pruned, []state{moved("v2"), gone}, "k0"},
		{"a pruned rollback", record.Pruned, []state{moved("v1", "v2"), moved("v1")}, "k1"},
		{"a kind that the upgrade has created", record.Pruned, []state{fresh, moved("v1", "v2")}, ""},
		{"prune has not begun", record.Upgraded, []state{moved("v2"), gone}, ""},
	} {
		client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{crd.Resource: "CustomResourceDefinitionList"})
		u := &record.Upgrade{ObjectMeta: metav1.ObjectMeta{Name: "u"}, Spec: record.Spec{Goal: test.goal}}
		for i, k := range test.kinds {
			name := "k" + string(rune('0'+i))
			annotations := map[string]any{}
			if k.unserved || k.removed {
				annotations[upgradeAnnotation] = "u/" + string(record.Pruned)
			}
			if k.unserved {
				annotations[unservedAnnotation] = ""
			}
			o := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": name + ".a.b", "annotations": annotations},
				"spec": map[string]any{"group": "a.b", "names": map[string]any{"kind": "K", "plural": name}, "versions": []any{
					map[string]any{"name": "v1", "served": true, "storage": false}, map[string]any{"name": "v2", "served": true, "storage": true},
				}},
				"status": map[string]any{"storedVersions": k.stored},
			}}
			if _, err := client.Resource(crd.Resource).Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			u.Spec.Kinds = append(u.Spec.Kinds, record.Kind{CRD: name + ".a.b", From: k.from, To: k.to, Gone: []string{"v1"}})
		}
		err := Reversible(t.Context(), client, u)
		if (err != nil) != (test.lost != "") || err != nil && !strings.HasPrefix(err.Error(), test.lost+".a.b has no version to go back to") {
			t.Errorf("%s: %v, want %q", test.reason, err, test.lost)
		}
	}
}
