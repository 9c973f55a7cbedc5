package conversion_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// user returns a client whose user may do these things with the resources of the worked example,
// and nothing else.
func (s *site) user(t testing.TB, name string, resources []any, verbs ...any) dynamic.Interface {
	t.Helper()
	roles := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
	bindings := roles.GroupVersion().WithResource("clusterrolebindings")
	role := strings.ReplaceAll(fmt.Sprintf("%s-%s", name, strings.ToLower(t.Name())), "/", "-")
	shared.Must(t)(s.client.Resource(roles).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": role},
		"rules": []any{map[string]any{"apiGroups": []any{s.kinds[0].Spec.Group}, "resources": resources, "verbs": verbs}},
	}}, metav1.CreateOptions{}))
	shared.Must(t)(s.client.Resource(bindings).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": map[string]any{"name": role},
		"roleRef":  map[string]any{"apiGroup": roles.Group, "kind": "ClusterRole", "name": role},
		"subjects": []any{map[string]any{"apiGroup": roles.Group, "kind": "User", "name": name}},
	}}, metav1.CreateOptions{}))
	config, err := s.User(name, "system:authenticated")
	if err != nil {
		t.Fatal(err)
	}
	return shared.Client(t, config)
}

// TestWritersOfStatusCannotChangeSpec lets a user who may write statuses only try it
// through every version.
func TestWritersOfStatusCannotChangeSpec(t *testing.T) {
	s := open(t)
	mallory := s.user(t, "mallory", []any{"*/status"}, "get", "update", "patch")
	for _, k := range s.kinds {
		t.Run(k.name, func(t *testing.T) {
			p := s.in(t, k, s.namespace(t))
			p.create(k.latest(), "full")
			m := newView(t, mallory, k, p.Namespace)
			shared.Eventually(t, crds.Patience, "the role", func() error {
				_, err := m.Through(k.latest()).Get(t.Context(), "full", metav1.GetOptions{}, "status")
				return err
			})
			for _, version := range k.Served() {
				m.checkOnlyStatus(p, version)
			}
		})
	}
}

// checkOnlyStatus tries to write spec and original version through the status of a version.
func (m view) checkOnlyStatus(p view, version string) {
	m.t.Helper()
	before := p.Stored("full").Object["spec"]
	object := shared.Must(m.t)(m.Through(version).Get(m.t.Context(), "full", metav1.GetOptions{}, "status"))
	set(m.t, object, "mallory's", m.kind.text...)
	set(m.t, object, "v20990101", "spec", "originalVersion")
	_, _ = m.Through(version).UpdateStatus(m.t.Context(), object.DeepCopy(), metav1.UpdateOptions{})
	for _, text := range []string{`{}`, `{"spec":{"originalVersion":"v20990101"}}`, bag(object) + " "} {
		set(m.t, object, text, "status", "propertyBag")
		if _, err := m.Through(version).UpdateStatus(m.t.Context(), object.DeepCopy(), metav1.UpdateOptions{}); !refused(err) {
			m.t.Errorf("the bag %q through %s: %v", text, version, err)
		}
	}
	patch := []byte(`{"spec":{"originalVersion":"v20990101","location":"mallory's","azureName":"mallory's"}}`)
	_, _ = m.Through(version).Patch(m.t.Context(), "full", types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	if _, err := m.Through(version).Patch(m.t.Context(), "full", types.MergePatchType, patch, metav1.PatchOptions{}); !apierrors.IsForbidden(err) {
		m.t.Errorf("mallory patches the main resource: %v", err)
	}
	if diff := cmp.Diff(before, p.Stored("full").Object["spec"]); diff != "" {
		m.t.Errorf("the status of %s changed the spec (-before +after):\n%s", version, diff)
	}
}

// policies applies the policies as they are generated, waits until they are in force, and takes
// them away in the end.
func (s *site) policies(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(api, "config", "policies.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	resources := map[string]string{
		"ValidatingAdmissionPolicy": "validatingadmissionpolicies", "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings",
		"MutatingAdmissionPolicy": "mutatingadmissionpolicies", "MutatingAdmissionPolicyBinding": "mutatingadmissionpolicybindings",
	}
	p := s.in(t, s.kinds[0], s.namespace(t))
	p.create(p.kind.latest(), "full")
	t.Cleanup(func() { s.awaitHubWriters(t, p, false) })
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var object unstructured.Unstructured
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			t.Fatal(err)
		}
		resource := object.GroupVersionKind().GroupVersion().WithResource(resources[object.GetKind()])
		shared.Must(t)(s.client.Resource(resource).Apply(t.Context(), object.GetName(), &object, crds.Applying("tests")))
		t.Cleanup(func() {
			if err := s.client.Resource(resource).Delete(shared.Afterwards(t), object.GetName(), metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
	s.awaitHubWriters(t, p, true)
	shared.Eventually(t, crds.Patience, "bags are put back", func() error {
		_, err := p.Through(p.kind.Versions[0]).UpdateStatus(t.Context(), withoutBag(p.Get(p.kind.Versions[0], "full")), metav1.UpdateOptions{DryRun: all})
		return err
	})
}

var all = []string{metav1.DryRunAll}

func withoutBag(object *unstructured.Unstructured) *unstructured.Unstructured {
	unstructured.RemoveNestedField(object.Object, "status", "propertyBag")
	return object
}

// awaitHubWriters waits until writing through the hub's version is forbidden, or is not.
func (s *site) awaitHubWriters(t *testing.T, p view, forbidden bool) {
	t.Helper()
	shared.Eventually(t, crds.Patience, "the guard of the hub's version", func() error {
		patch := []byte(`{"metadata":{"labels":{"tried":"yes"}}}`)
		_, err := p.Through(p.kind.Hub).Patch(shared.Afterwards(t), "full", types.MergePatchType, patch, metav1.PatchOptions{DryRun: all})
		if apierrors.IsForbidden(err) != forbidden {
			return fmt.Errorf("writing through the hub's version: %v", err)
		}
		return nil
	})
}

// TestOrdinaryUsersCannotWriteThroughHub is about the policy: everybody may read and delete
// through the hub's version, and only those whom the policy names may write.
func TestOrdinaryUsersCannotWriteThroughHub(t *testing.T) {
	s := open(t)
	s.policies(t)
	ann := s.user(t, "ann", []any{"*"}, "*")
	operator := s.user(t, "system:serviceaccount:strata-system:strata-operator", []any{"*"}, "*")
	for _, k := range s.kinds {
		t.Run(k.name, func(t *testing.T) {
			namespace := s.namespace(t)
			a, o := newView(t, ann, k, namespace), newView(t, operator, k, namespace)
			shared.Eventually(t, crds.Patience, "the roles", func() error {
				for _, p := range []view{a, o} {
					if _, err := p.Through(k.Hub).List(t.Context(), metav1.ListOptions{}); err != nil {
						return err
					}
				}
				return nil
			})
			a.create(k.latest(), "full")
			before := a.Stored("full")
			for name, err := range a.writes() {
				if !apierrors.IsForbidden(err) || !strings.Contains(fmt.Sprint(err), k.Hub+" is what the cluster stores") {
					t.Errorf("%s through the hub's version: %v", name, err)
				}
			}
			if diff := cmp.Diff(before.Object, a.Stored("full").Object); diff != "" {
				t.Errorf("the hub changed (-before +after):\n%s", diff)
			}
			for name, err := range o.writes() {
				if err != nil {
					t.Errorf("%s through the hub's version, by the operator: %v", name, err)
				}
			}
			if err := a.Through(k.Hub).Delete(t.Context(), "full", metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// writes are the ways to write through the hub's version, and what came of them.
func (p view) writes() map[string]error {
	errs, hub, ctx := map[string]error{}, p.Through(p.kind.Hub), p.t.Context()
	changed := func() *unstructured.Unstructured {
		object := p.Stored("full")
		set(p.t, object, "changed", p.kind.text...)
		return object
	}
	patch := []byte(`{"metadata":{"labels":{"written":"yes"}}}`)
	_, errs["patch"] = hub.Patch(ctx, "full", types.MergePatchType, patch, metav1.PatchOptions{})
	_, errs["status patch"] = hub.Patch(ctx, "full", types.MergePatchType, []byte(`{"status":{"location":"changed"}}`), metav1.PatchOptions{}, "status")
	_, errs["update"] = hub.Update(ctx, changed(), metav1.UpdateOptions{})
	_, errs["status update"] = hub.UpdateStatus(ctx, changed(), metav1.UpdateOptions{})
	_, errs["create"] = hub.Create(ctx, p.kind.of(p.kind.Hub, "other"), metav1.CreateOptions{})
	_, errs["apply"] = hub.Apply(ctx, "full", p.kind.of(p.kind.Hub, "full"), crds.Applying("tests"))
	return errs
}

// TestForeignStatusWritersAreMended replaces the status without the bag, as clients do that have
// never heard of it.
func TestForeignStatusWritersAreMended(t *testing.T) {
	tier.Long(t, "writes objects of all kinds")
	s := open(t)
	s.policies(t)
	for _, k := range s.kinds {
		p := s.in(t, k, s.namespace(t))
		p.create(k.latest(), "full")
		want := content(p.Stored("full"))
		for _, version := range k.Versions {
			object := withoutBag(p.Get(version, "full"))
			set(t, object, "by "+version, "status", "properties", k.text[len(k.text)-1])
			shared.Must(t)(p.Through(version).UpdateStatus(t.Context(), object, metav1.UpdateOptions{}))
			set(t, &unstructured.Unstructured{Object: want}, "by "+version, "status", "properties", k.text[len(k.text)-1])
			if diff := cmp.Diff(want, content(p.Stored("full"))); diff != "" {
				t.Errorf("%s through %s (-want +got):\n%s", k.name, version, diff)
			}
		}
		object := p.Get(k.Versions[0], "full")
		set(t, object, "{}", "status", "propertyBag")
		if _, err := p.Through(k.Versions[0]).UpdateStatus(t.Context(), object, metav1.UpdateOptions{}); !refused(err) {
			t.Errorf("a forged bag, where bags are put back: %v", err)
		}
	}
}
