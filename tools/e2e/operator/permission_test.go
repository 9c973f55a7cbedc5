package operator_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/operator"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/ca"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestPermissions runs an operator with the permissions that the guide lists, and no others.
func TestPermissions(t *testing.T) {
	p := newSandbox(t)
	role := "operator-" + p.namespace
	rule := func(group, resources string, verbs ...any) any {
		return map[string]any{"apiGroups": []any{group}, "resources": []any{resources}, "verbs": verbs}
	}
	roles := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
	shared.Must(t)(p.client.Resource(roles).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": role},
		"rules": []any{
			rule("crm.example.com", "*", "get", "list", "watch", "patch"),
			rule("crm.example.com", "*/status", "update"),
			map[string]any{
				"apiGroups": []any{"apiextensions.k8s.io"}, "resources": []any{"customresourcedefinitions"}, "verbs": []any{"get", "list"},
				"resourceNames": []any{"persons.crm.example.com", "parties.crm.example.com", "personsnotes.crm.example.com"},
			},
			rule("", "secrets", "get", "list", "watch", "create", "update"),
			rule("", "namespaces", "get"),
			rule("events.k8s.io", "events", "create", "patch"),
			rule("coordination.k8s.io", "leases", "get", "create", "update"),
		},
	}}, metav1.CreateOptions{}))
	bindings := roles.GroupVersion().WithResource("clusterrolebindings")
	shared.Must(t)(p.client.Resource(bindings).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": map[string]any{"name": role},
		"roleRef":  map[string]any{"apiGroup": roles.Group, "kind": "ClusterRole", "name": role},
		"subjects": []any{map[string]any{"apiGroup": roles.Group, "kind": "User", "name": role}},
	}}, metav1.CreateOptions{}))
	user, err := p.User(role, "system:authenticated")
	if err != nil {
		t.Fatal(err)
	}
	lists := watchLists(user)
	p.operate(func(o *operator.Options) {
		o.Config = user
		o.LeaderElection = operator.Election{On: true, Namespace: p.namespace}
	})
	spec := p.filled(t, "Person", "v20190909")
	spec["secretRefs"] = []any{map[string]any{"path": "listKeys().primary", "name": "out", "key": "primary"}}
	p.write("Person", p.hub("Person"), "ada", spec)
	p.write("PersonsNote", "v20130303", "first", map[string]any{"owner": map[string]any{"name": "ada"}, "properties": map[string]any{"text": "looms"}})
	p.ready("PersonsNote", "first")
	shared.Eventually(t, crds.Patience, "an event tells", func() error {
		all, err := p.client.Resource(schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}).Namespace(p.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, e := range all.Items {
			if reason, _, _ := unstructured.NestedString(e.Object, "reason"); reason == "Created" {
				return nil
			}
		}
		return errNotYet
	})
	p.delete("PersonsNote", "first")
	p.delete("Person", "ada")
	p.gone("Person", "ada")
	if allowed, denied := lists(); allowed == 0 || denied > 0 {
		t.Errorf("the operator listed its CRDs %d times, and was forbidden to %d times", allowed, denied)
	}
}

// watchLists makes clients of a configuration count the answers to lists of CRDs. The function that
// it returns gives how many were allowed so far, and how many were not.
func watchLists(config *rest.Config) (counts func() (allowed, denied int64)) {
	var yes, no atomic.Int64
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(request *http.Request) (*http.Response, error) {
			answer, err := next.RoundTrip(request)
			switch {
			case err != nil || !strings.HasSuffix(request.URL.Path, "/customresourcedefinitions"):
			case answer.StatusCode == http.StatusOK:
				yes.Add(1)
			default:
				no.Add(1)
			}
			return answer, err
		})
	})
	return func() (int64, int64) { return yes.Load(), no.Load() }
}

// TestConversions has the operator serve conversions, too.
func TestConversions(t *testing.T) {
	p := newSandbox(t)
	dir := t.TempDir()
	by, err := ca.New("operator")
	if err != nil {
		t.Fatal(err)
	}
	c := operator.Conversions{Address: shared.Free(t), CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key")}
	if _, err := by.WriteServer(c.CertFile, c.KeyFile); err != nil {
		t.Fatal(err)
	}
	probes := shared.Free(t)
	p.operate(func(o *operator.Options) { o.Conversions, o.ProbeAddress = &c, probes })
	shared.Eventually(t, crds.Patience, "the operator is ready", func() error { return get("http://"+probes+"/readyz", "") })
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	review := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"1","desiredAPIVersion":"crm.example.com/v20190909storage","objects":[
		{"apiVersion":"crm.example.com/v20190909","kind":"Person","metadata":{"name":"ada"},"spec":{"location":"westeurope"}}]}}`
	response, err := client.Post(fmt.Sprintf("https://%s/convert", c.Address), "application/json", bytes.NewBufferString(review))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if text, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(text), `"v20190909storage"`) && !strings.Contains(string(text), "crm.example.com/v20190909storage") {
		t.Errorf("the answer is %s (%v)", text, err)
	}
}
