package replicas_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
			case "/versions", "/api/v1/namespaces/system/pods/" + versions + ":8081/proxy/versions", "/api/v1/namespaces/system/pods/named:9090/proxy/versions":
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
	d, err := discovery.NewDiscoveryClientForConfig(&rest.Config{Host: after})
	if err != nil {
		t.Fatal(err)
	}
	raw := func(ctx context.Context, path string) (io.ReadCloser, error) {
		return d.RESTClient().Get().AbsPath(path).Stream(ctx)
	}
	slices := schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}
	client := func(pod string) *fake.FakeDynamicClient {
		o := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
			"metadata": map[string]any{"name": "w", "namespace": "system", "labels": map[string]any{"kubernetes.io/service-name": "w"}},
			"endpoints": []any{
				map[string]any{"addresses": []any{"10.0.0.1"}, "targetRef": map[string]any{"kind": "Pod", "name": pod}},
				map[string]any{"addresses": []any{"10.0.0.2"}, "targetRef": map[string]any{"kind": "Pod", "name": "ends"}, "conditions": map[string]any{"serving": false, "terminating": true}},
			},
		}}
		c := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
			slices: "EndpointSliceList", {Version: "v1", Resource: "pods"}: "PodList",
		})
		p := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "named", "namespace": "system"},
			"spec": map[string]any{"containers": []any{map[string]any{"ports": []any{map[string]any{"name": "probes", "containerPort": int64(9090)}}}}},
		}}
		if _, err := c.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Namespace("system").Create(t.Context(), p, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
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
		{"a pod", service, replicas.Options{Client: client("v1-v2-v2storage-v1storage"), Raw: raw, Port: 8081}, 1, ""},
		{"a pod whose probes have another port", service, replicas.Options{Client: client("named"), Raw: raw, Port: 8081}, 1, ""},
		{"a pod that does not answer", service, replicas.Options{Client: client("other"), Raw: raw, Port: 8081}, 1, "it does not answer"},
	} {
		got, err := replicas.Check(t.Context(), definition(t, test.conversion), []string{"v1", "v2"}, test.o)
		if got != test.want || (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%s: %d replicas, %v", test.reason, got, err)
		}
	}
}

// TestAnswersAreBounded has a replica that answers without an end, and one that falls silent within
// its answer.
func TestAnswersAreBounded(t *testing.T) {
	var sent atomic.Int64
	ends := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/silent/versions" {
			_, _ = io.WriteString(w, `{"format": 1,`)
			w.(http.Flusher).Flush()
			<-ends
			return
		}
		for chunk := strings.Repeat(" ", 1<<16); sent.Load() < 1<<30; sent.Add(int64(len(chunk))) {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	}))
	defer s.Close()
	defer close(ends)
	for at, want := range map[string]string{"/endless": "has more than 4194304 bytes", "/silent": "deadline exceeded"} {
		found, err := replicas.Find(t.Context(), nil, replicas.Options{URLs: []string{s.URL + at}})
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), map[string]time.Duration{"/endless": time.Minute, "/silent": 200 * time.Millisecond}[at])
		defer cancel()
		if _, err := found[0].Ask(ctx); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", at, err)
		}
	}
	if sent.Load() >= 1<<30 {
		t.Error("the whole answer was read")
	}
}
