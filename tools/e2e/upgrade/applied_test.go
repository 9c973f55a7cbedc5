package upgrade_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/fixtures"
	"github.com/stratakube/strata/tools/testcluster/kubectl"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// client is kubectl's manager of objects that it applies by itself, without the API server.
const client = "kubectl-client-side-apply"

// TestObjectsThatKubectlApplied has objects that kubectl has applied in a version that goes, with a
// property that later versions call otherwise. After the migration kubectl finds the manifest of
// the next version unchanged, and removes the property if the manifest leaves it out: also if it
// moves to server-side apply.
func TestObjectsThatKubectlApplied(t *testing.T) {
	tier.Long(t, "migrates the worked example with kubectl")
	p := openExample(t, 10)
	cluster := shared.Of(t)
	k := cluster.Kubectl()
	apply := func(manifest map[string]any, args ...string) string {
		t.Helper()
		text, err := json.Marshal(manifest)
		if err != nil {
			t.Fatal(err)
		}
		out, messages, err := k.Run(t.Context(), string(text), append([]string{"apply", "-f", "-"}, args...)...)
		if err != nil {
			t.Fatalf("kubectl apply: %v\n%s", err, messages)
		}
		return out
	}
	old := func(name string) map[string]any {
		return map[string]any{
			"apiVersion": fixtures.Group + "/v20140404", "kind": "Person", "metadata": map[string]any{"name": name, "namespace": "default"},
			"spec": map[string]any{"location": "west", "tags": map[string]any{"team": "a"}, "properties": map[string]any{
				"id": "00000000-0000-0000-0000-000000000001", "familyName": "King", "knownAs": "Ada", "legalName": "Ada King", "alphaKey": "KING",
			}},
		}
	}
	migrate := func() (r report) {
		t.Helper()
		c := exec.CommandContext(t.Context(), p.binary, "migrate", "persons."+fixtures.Group, "--gone", "v20140404", "--histories", example+"/histories", "-o", "json", "--server", cluster.Host(), "--kubeconfig", cluster.Kubeconfig)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, name := range []string{"client", "server", "reads"} {
		apply(old(name))
		_, messages, err := k.Run(t.Context(), "", "patch", "persons.v20190909."+fixtures.Group, name, "--type=merge", "--field-manager=other", "-p", `{"spec":{"tags":{"other":"b"}}}`)
		if err != nil {
			t.Fatal(messages)
		}
	}
	before := applied(t, k, "client")
	r := migrate()
	if r.Written < 3 || r.Poison.Objects > 0 {
		t.Fatalf("%+v", r)
	}
	if again := migrate(); again.Written > 0 {
		t.Errorf("a second run wrote %+v", again)
	}
	manifest := applied(t, k, "client")
	if before["apiVersion"] != any(fixtures.Group+"/v20140404") || manifest["apiVersion"] != any(fixtures.Group+"/v20190909") {
		t.Fatalf("the annotation was in %v and is in %v", before["apiVersion"], manifest["apiVersion"])
	}
	next := func(name string) map[string]any {
		m := (&unstructured.Unstructured{Object: manifest}).DeepCopy()
		m.SetName(name)
		return m.Object
	}
	if spec := manifest["spec"].(map[string]any); spec["tags"].(map[string]any)["other"] != nil {
		t.Errorf("the annotation has a value of another client: %v", spec)
	}
	if out := apply(next("client")); !strings.HasSuffix(out, "unchanged\n") {
		t.Errorf("the manifest of the next version: %s", out)
	}
	if out := apply(next("server"), "--server-side"); !strings.Contains(out, "serverside-applied") {
		t.Error(out)
	}
	generation := person(t, k, "reads").GetGeneration()
	apply(old("reads"))
	if o := person(t, k, "reads"); o.GetGeneration() != generation {
		t.Errorf("the manifest of the version that goes changes the spec: %v", o.Object["spec"])
	}
	for name, args := range map[string][]string{"client": nil, "server": {"--server-side"}} {
		m := next(name)
		unstructured.RemoveNestedField(m, "spec", "properties", "sortKey")
		apply(m, args...)
		o := person(t, k, name)
		if key, has, _ := unstructured.NestedString(o.Object, "spec", "properties", "sortKey"); has {
			t.Errorf("%s: the manifest without sortKey leaves %q", name, key)
		}
		if tag, _, _ := unstructured.NestedString(o.Object, "spec", "tags", "other"); tag != "b" {
			t.Errorf("%s: the value of another client is %q", name, tag)
		}
	}
}

func person(t *testing.T, k kubectl.Client, name string) *unstructured.Unstructured {
	t.Helper()
	out, messages, err := k.Run(t.Context(), "", "get", "persons.v20190909."+fixtures.Group, name, "-o", "json", "--show-managed-fields")
	if err != nil {
		t.Fatal(messages)
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON([]byte(out)); err != nil {
		t.Fatal(err)
	}
	return o
}

// applied returns the manifest in the annotation of kubectl. Kubectl owns the annotation, and no
// manager is left that owns it in passing.
func applied(t *testing.T, k kubectl.Client, name string) (manifest map[string]any) {
	t.Helper()
	o := person(t, k, name)
	const annotation = "kubectl.kubernetes.io/last-applied-configuration"
	if err := json.Unmarshal([]byte(o.GetAnnotations()[annotation]), &manifest); err != nil {
		t.Fatal(err)
	}
	var owners []string
	for _, e := range o.GetManagedFields() {
		if strings.HasPrefix(e.Manager, "strata-cluster") {
			t.Errorf("%s: %s owns %s", name, e.Manager, e.FieldsV1.GetRawString())
		}
		if e.Operation == metav1.ManagedFieldsOperationUpdate && strings.Contains(e.FieldsV1.GetRawString(), annotation) {
			owners = append(owners, e.Manager)
		}
	}
	if !slices.Equal(owners, []string{client}) || len(o.GetAnnotations()) != 1 {
		t.Errorf("%s: annotations %v, owned by %v", name, o.GetAnnotations(), owners)
	}
	return manifest
}
