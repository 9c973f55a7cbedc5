package upgrade_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// count is the number of objects of each test.
var count = tier.IfSoak(220, 500)

// report is what the command prints as JSON.
type report struct {
	Objects, Written, Unchanged, Gone, Entries int
	Lost, Inexact, Poison                      struct {
		Objects  int
		Examples []struct{ Object, Reason string }
	}
	Dependents *struct{ Written, Failed int }
	Shortened  *struct {
		Marker string
		Lists  []struct{ Objects, Past, Unchanged int }
		Stored []string `json:"storedVersions"`
	}
}

// site is a cluster with a kind that Strata has not generated.
type site struct {
	*apiserver.Cluster
	t         testing.TB
	client    dynamic.Interface
	kind      *crds.Kind
	namespace string
	program   string
	user      string // the kubeconfig of a user that has the rights of the command's role
}

func open(t testing.TB, group string) *site {
	t.Helper()
	c := shared.Of(t)
	s := &site{Cluster: c, t: t, client: shared.Client(t, c.Config), kind: crds.Read(t, "testdata/widgets.yaml")}
	s.kind.Spec.Group, s.kind.Name = group, "widgets."+group
	crds.Apply(t, s.client, v1.WebhookClientConfig{}, s.kind)
	crds.AwaitServed(t, s.client, s.kind)
	s.namespace = crds.Namespace(t, s.client, "upgrade-")
	s.program = program(t, strataCluster)
	s.user = s.migrator()
	return s
}

// migrator creates a user with the role of the command, and returns the user's kubeconfig.
func (s *site) migrator() string {
	s.t.Helper()
	name := "migrator-of-" + s.kind.Spec.Group
	s.create("clusterroles", map[string]any{"kind": "ClusterRole", "metadata": map[string]any{"name": name}, "rules": []any{
		map[string]any{"apiGroups": []any{"apiextensions.k8s.io"}, "resources": []any{"customresourcedefinitions"}, "resourceNames": []any{s.kind.Name}, "verbs": []any{"get"}},
		map[string]any{"apiGroups": []any{s.kind.Spec.Group}, "resources": []any{"widgets"}, "verbs": []any{"get", "list", "patch"}},
	}})
	s.create("clusterrolebindings", map[string]any{"kind": "ClusterRoleBinding", "metadata": map[string]any{"name": name},
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
		"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}},
	})
	config, err := s.User(name)
	if err != nil {
		s.t.Fatal(err)
	}
	kubectl, err := s.KubectlAs(config)
	if err != nil {
		s.t.Fatal(err)
	}
	return kubectl.Kubeconfig
}

func (s *site) create(plural string, object map[string]any) {
	s.t.Helper()
	object["apiVersion"] = "rbac.authorization.k8s.io/v1"
	resource := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: plural}
	shared.Must(s.t)(s.client.Resource(resource).Create(s.t.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{}))
}

func (s *site) through(version string) dynamic.ResourceInterface {
	return s.client.Resource(s.kind.Resource(version)).Namespace(s.namespace)
}

func (s *site) widget(version, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": s.kind.Spec.Group + "/" + version, "kind": "Widget", "metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

// store makes a version the storage version, and waits until the API server stores objects in it.
func (s *site) store(version string) {
	s.t.Helper()
	for i := range s.kind.Spec.Versions {
		s.kind.Spec.Versions[i].Storage = s.kind.Spec.Versions[i].Name == version
	}
	crds.Apply(s.t, s.client, v1.WebhookClientConfig{}, s.kind)
	probe := "probe-" + version
	shared.Eventually(s.t, crds.Patience, "stored in "+version, func() error {
		_ = s.through("v1").Delete(s.t.Context(), probe, metav1.DeleteOptions{})
		if _, err := s.through("v1").Create(s.t.Context(), s.widget("v1", probe, map[string]any{"size": int64(1)}), metav1.CreateOptions{}); err != nil {
			return err
		}
		if got := s.stored(probe); got != version {
			return errors.New("stored in " + got)
		}
		return s.through("v1").Delete(s.t.Context(), probe, metav1.DeleteOptions{})
	})
}

// stored returns the version in which etcd has an object.
func (s *site) stored(name string) string {
	s.t.Helper()
	text, err := s.Stored(s.t.Context(), "/registry/"+s.kind.Spec.Group+"/widgets/"+s.namespace+"/"+name)
	if err != nil {
		s.t.Fatal(err)
	}
	var object struct{ APIVersion string }
	if err := json.Unmarshal(text, &object); err != nil {
		s.t.Fatalf("%s: %v\n%s", name, err, text)
	}
	return strings.TrimPrefix(object.APIVersion, s.kind.Spec.Group+"/")
}

// migrate runs the command as a user with its role, and returns its report and exit code.
func (s *site) migrate(args ...string) (r report, code int, messages string) {
	s.t.Helper()
	return s.migrateAs(s.user, args...)
}

// migrateAs runs the command as the user of a kubeconfig.
func (s *site) migrateAs(kubeconfig string, args ...string) (r report, code int, messages string) {
	s.t.Helper()
	var out, failed bytes.Buffer
	c := exec.CommandContext(s.t.Context(), s.program, append([]string{"migrate", s.kind.Name, "-o", "json", "--rate", "2000", "--server", s.Host(), "--kubeconfig", kubeconfig}, args...)...)
	c.Stdout, c.Stderr = &out, &failed
	var exit *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			s.t.Fatalf("%v\n%s\n%s", err, out.String(), failed.String())
		}
	}
	return r, c.ProcessState.ExitCode(), failed.String()
}

func (s *site) fill(n int) {
	s.t.Helper()
	var group errgroup.Group
	group.SetLimit(8)
	for i := range n {
		group.Go(func() error {
			version := []string{"v1", "v2"}[i%2]
			_, err := s.through(version).Create(s.t.Context(), s.widget(version, fmt.Sprintf("filled-%d", i), map[string]any{"size": int64(i)}), metav1.CreateOptions{})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) all() map[string]*unstructured.Unstructured {
	s.t.Helper()
	list, err := s.through("v2").List(s.t.Context(), metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	out := map[string]*unstructured.Unstructured{}
	for i := range list.Items {
		out[list.Items[i].GetName()] = &list.Items[i]
	}
	return out
}

// content is an object without what each write changes.
func content(o *unstructured.Unstructured) map[string]any {
	o = o.DeepCopy()
	for _, name := range []string{"resourceVersion", "managedFields"} {
		unstructured.RemoveNestedField(o.Object, "metadata", name)
	}
	return o.Object
}

// TestEachObjectIsStoredAnew migrates objects in mixed versions. Etcd has each in the storage
// version, nothing else of an object changes, and a second run writes nothing.
func TestEachObjectIsStoredAnew(t *testing.T) {
	s := open(t, "anew.example.com")
	s.fill(count)
	s.store("v2")
	shared.Must(t)(s.through("v1").Create(t.Context(), s.widget("v1", "new", map[string]any{"color": "red"}), metav1.CreateOptions{}))
	before := s.all()
	r, code, messages := s.migrate()
	if code != 0 || r.Objects != count+1 || r.Written != count || r.Unchanged != 1 || r.Poison.Objects != 0 {
		t.Fatalf("exit code %d, %+v\n%s", code, r, messages)
	}
	after := s.all()
	for name, object := range before {
		if got := s.stored(name); got != "v2" {
			t.Errorf("%s is stored in %s", name, got)
		}
		if diff := cmp.Diff(content(object), content(after[name])); diff != "" {
			t.Errorf("%s changed (-before +after):\n%s", name, diff)
		}
		if diff := cmp.Diff(object.GetManagedFields(), after[name].GetManagedFields()); diff != "" {
			t.Errorf("the owners of %s changed (-before +after):\n%s", name, diff)
		}
	}
	if r, code, _ := s.migrate(); code != 0 || r.Written != 0 || r.Unchanged != count+1 {
		t.Errorf("the second run: exit code %d, %+v", code, r)
	}
	for name, object := range s.all() {
		if object.GetResourceVersion() != after[name].GetResourceVersion() {
			t.Errorf("the second run wrote %s", name)
		}
	}
}

// storedVersions returns status.storedVersions of the CRD.
func (s *site) storedVersions() []string {
	s.t.Helper()
	d := shared.Must(s.t)(s.client.Resource(crds.Definitions).Get(s.t.Context(), s.kind.Name, metav1.GetOptions{}))
	versions, _, err := unstructured.NestedStringSlice(d.Object, "status", "storedVersions")
	if err != nil {
		s.t.Fatal(err)
	}
	return versions
}

// TestStoredVersionsAreShortened migrates and proves that nothing is left of a version: first as a
// user who may not write the status of the CRD, then as one who may.
func TestStoredVersionsAreShortened(t *testing.T) {
	s := open(t, "shortened.example.com")
	const objects = 30
	s.fill(objects)
	s.store("v2")
	both := []string{"v1", "v2"}
	if r, code, messages := s.migrate(); code != 0 || r.Shortened != nil || !slices.Equal(s.storedVersions(), both) {
		t.Fatalf("without the flag: exit code %d, %+v, stored in %v\n%s", code, r.Shortened, s.storedVersions(), messages)
	}
	r, code, messages := s.migrate("--shorten", "--grace", "1s")
	if code != 2 || !strings.Contains(messages, "forbidden") || !slices.Equal(s.storedVersions(), both) {
		t.Fatalf("without the right: exit code %d, stored in %v\n%s", code, s.storedVersions(), messages)
	}
	if r, code, messages = s.migrateAs(s.Kubeconfig, "--shorten", "--grace", "1s"); code != 0 || r.Shortened == nil || !slices.Equal(s.storedVersions(), both[1:]) {
		t.Fatalf("exit code %d, %+v, stored in %v\n%s", code, r, s.storedVersions(), messages)
	}
	if of := r.Shortened; of.Marker == "" || len(of.Lists) != 2 || !slices.Equal(of.Stored, both[1:]) {
		t.Errorf("the evidence is %+v", of)
	}
	for _, list := range r.Shortened.Lists {
		if list.Objects != objects || list.Past+list.Unchanged != objects {
			t.Errorf("a list of the evidence is %+v", list)
		}
	}
	for i := range objects {
		if got := s.stored(fmt.Sprintf("filled-%d", i)); got != "v2" {
			t.Errorf("filled-%d is stored in %s", i, got)
		}
	}
	if _, code, messages := s.migrateAs(s.Kubeconfig, "--shorten", "--grace", "1s"); code != 0 {
		t.Errorf("again: exit code %d\n%s", code, messages)
	}
}

// TestPoisonIsIsolated has one object that a policy of the cluster protects. The others are
// written, the object is named, and the exit code is 2.
func TestPoisonIsIsolated(t *testing.T) {
	tier.Long(t, "upgrades poisoned objects")
	s := open(t, "poison.example.com")
	objects := tier.IfSoak(60, 10_000)
	s.fill(objects)
	policy := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"}
	binding := policy.GroupVersion().WithResource("validatingadmissionpolicybindings")
	shared.Must(t)(s.client.Resource(policy).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": policy.GroupVersion().String(), "kind": "ValidatingAdmissionPolicy", "metadata": map[string]any{"name": s.kind.Name},
		"spec": map[string]any{
			"matchConstraints": map[string]any{"resourceRules": []any{map[string]any{
				"apiGroups": []any{s.kind.Spec.Group}, "apiVersions": []any{"*"}, "resources": []any{"widgets"}, "operations": []any{"UPDATE"},
			}}},
			"validations": []any{map[string]any{"expression": "object.metadata.name != 'filled-7'", "message": "filled-7 is frozen"}},
		},
	}}, metav1.CreateOptions{}))
	shared.Must(t)(s.client.Resource(binding).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": policy.GroupVersion().String(), "kind": "ValidatingAdmissionPolicyBinding", "metadata": map[string]any{"name": s.kind.Name},
		"spec": map[string]any{"policyName": s.kind.Name, "validationActions": []any{"Deny"}},
	}}, metav1.CreateOptions{}))
	shared.Eventually(t, crds.Patience, "the policy", func() error {
		object := shared.Must(t)(s.through("v1").Get(t.Context(), "filled-7", metav1.GetOptions{}))
		object.SetLabels(map[string]string{"a": "b"})
		if _, err := s.through("v1").Update(t.Context(), object, metav1.UpdateOptions{DryRun: []string{"All"}}); err == nil {
			return errors.New("it refuses nothing")
		}
		return nil
	})
	s.store("v2")
	r, code, messages := s.migrateAs(s.Kubeconfig, "--shorten", "--grace", "1s")
	if code != 2 || r.Shortened != nil || !slices.Contains(s.storedVersions(), "v1") {
		t.Fatalf("exit code %d, shortened by %+v to %v", code, r.Shortened, s.storedVersions())
	}
	if r.Written != objects-1 || r.Poison.Objects != 1 || !strings.Contains(messages, "1 object of "+s.kind.Name+" cannot be written") {
		t.Fatalf("exit code %d, %+v\n%s", code, r, messages)
	}
	if e := r.Poison.Examples[0]; e.Object != s.namespace+"/filled-7" || !strings.Contains(e.Reason, "filled-7 is frozen") {
		t.Errorf("the poison is %+v", e)
	}
	if got := s.stored("filled-7"); got != "v1" {
		t.Errorf("the poison is stored in %s", got)
	}
}

// TestOwnersFollowTheirVersions applies manifests in a version that goes. After the migration the
// unchanged manifest of the next version changes nothing and conflicts with nothing, and a field
// that it leaves out is removed. An object with a value that the next version lacks is not written
// before the user asks for it: without a webhook, the write removes the value.
func TestOwnersFollowTheirVersions(t *testing.T) {
	tier.Long(t, "upgrades owners of objects")
	s := open(t, "owners.example.com")
	spec := func(more string) map[string]any {
		out := map[string]any{"size": int64(3), "color": "blue", "ports": []any{map[string]any{"name": "http", "number": int64(80)}, map[string]any{"name": "dns", "number": int64(53)}}}
		if more != "" {
			out[more] = "x"
		}
		return out
	}
	options := metav1.ApplyOptions{FieldManager: "flux"}
	for _, name := range []string{"kept", "lost"} {
		more := map[string]string{"lost": "legacy"}[name]
		shared.Must(t)(s.through("v1").Apply(t.Context(), name, s.widget("v1", name, spec(more)), options))
	}
	s.store("v2")
	r, code, messages := s.migrate("--gone", "v1")
	if code != 2 || r.Written != 1 || r.Entries != 1 || r.Poison.Objects != 1 {
		t.Fatalf("exit code %d, %+v\n%s", code, r, messages)
	}
	if e := r.Poison.Examples[0]; e.Object != s.namespace+"/lost" || !strings.Contains(e.Reason, ".spec.legacy") {
		t.Errorf("the value that a write would remove is %+v", e)
	}
	lost := shared.Must(t)(s.through("v1").Get(t.Context(), "lost", metav1.GetOptions{}))
	if legacy, _, _ := unstructured.NestedString(lost.Object, "spec", "legacy"); legacy != "x" || s.stored("lost") != "v1" {
		t.Errorf("legacy is %q in %s", legacy, s.stored("lost"))
	}
	r, code, messages = s.migrate("--gone", "v1", "--drop-values")
	if code != 0 || r.Written != 1 || r.Entries != 1 || r.Lost.Objects != 1 || r.Poison.Objects != 0 {
		t.Fatalf("without the value: exit code %d, %+v\n%s", code, r, messages)
	}
	if e := r.Lost.Examples[0]; e.Object != s.namespace+"/lost" || !strings.Contains(e.Reason, ".spec.legacy") {
		t.Errorf("the lost field is %+v", e)
	}
	for name, object := range s.all() {
		for _, e := range object.GetManagedFields() {
			if e.APIVersion != s.kind.Spec.Group+"/v2" {
				t.Errorf("%s has an owner in %s", name, e.APIVersion)
			}
		}
	}
	before := s.all()["kept"]
	after := shared.Must(t)(s.through("v2").Apply(t.Context(), "kept", s.widget("v2", "kept", spec("")), options))
	if before.GetResourceVersion() != after.GetResourceVersion() {
		t.Errorf("the unchanged manifest changed the object:\n%s", cmp.Diff(before.Object, after.Object))
	}
	less := spec("")
	delete(less, "color")
	less["ports"] = less["ports"].([]any)[:1]
	after = shared.Must(t)(s.through("v2").Apply(t.Context(), "kept", s.widget("v2", "kept", less), options))
	if diff := cmp.Diff(less, after.Object["spec"]); diff != "" {
		t.Errorf("the manifest without color and a port (-want +got):\n%s", diff)
	}
	if r, code, _ := s.migrate("--gone", "v1"); code != 0 || r.Written != 0 || r.Entries != 0 {
		t.Errorf("the second run: exit code %d, %+v", code, r)
	}
}
