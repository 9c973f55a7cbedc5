package replicas_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/replicas"
)

func definition(t *testing.T, conversion string) *crd.CRD {
	t.Helper()
	d, err := crd.Parse([]byte(`{"spec": {"group": "example.com", "names": {"kind": "Thing", "plural": "things"}, "conversion": ` + conversion + `,
		"versions": [{"name": "v1storage", "served": true, "storage": true}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEachReplicaIsAsked has a replica of the release before beside one of the new release.
func TestEachReplicaIsAsked(t *testing.T) {
	serve := func(versions string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/versions", "/api/v1/namespaces/system/pods/" + versions + ":8081/proxy/versions":
				_, _ = fmt.Fprintf(w, `{"format": 1, "kinds": [{"group": "example.com", "kind": "Thing", "versions": [%s]}]}`, strings.ReplaceAll(`"`+versions+`"`, "-", `","`))
			default:
				http.NotFound(w, r)
			}
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	before, after := serve("v1-v1storage"), serve("v1-v2-v2storage-v1storage")
	const service = `{"strategy": "Webhook", "webhook": {"clientConfig": {"service": {"namespace": "system", "name": "w"}}}}`
	pods, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: after})
	if err != nil {
		t.Fatal(err)
	}
	slices := schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}
	client := func(pod string) *fake.FakeDynamicClient {
		o := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
			"metadata":  map[string]any{"name": "w", "namespace": "system", "labels": map[string]any{"kubernetes.io/service-name": "w"}},
			"endpoints": []any{map[string]any{"addresses": []any{"10.0.0.1"}, "targetRef": map[string]any{"kind": "Pod", "name": pod}}},
		}}
		c := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{slices: "EndpointSliceList"})
		if _, err := c.Resource(slices).Namespace("system").Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, test := range []struct {
		reason, conversion string
		o                  replicas.Options
		want               int
		fails              string
	}{
		{"no webhook", `{"strategy": "None"}`, replicas.Options{}, 0, ""},
		{"all know the versions", service, replicas.Options{URLs: []string{after}}, 1, ""},
		{"one does not", service, replicas.Options{URLs: []string{after, before}}, 2, "it does not convert v2"},
		{"a webhook that nobody can ask", `{"strategy": "Webhook", "webhook": {"clientConfig": {"url": "https://a"}}}`, replicas.Options{}, 0, "--webhook"},
		{"a pod", service, replicas.Options{Client: client("v1-v2-v2storage-v1storage"), Pods: pods.RESTClient(), Port: 8081}, 1, ""},
		{"a pod that does not answer", service, replicas.Options{Client: client("other"), Pods: pods.RESTClient(), Port: 8081}, 1, "it does not answer"},
	} {
		got, err := replicas.Check(t.Context(), definition(t, test.conversion), []string{"v1", "v2"}, test.o)
		if got != test.want || (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%s: %d replicas, %v", test.reason, got, err)
		}
	}
}
