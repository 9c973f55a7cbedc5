package settle

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

var widgets = &crd.CRD{Group: "example.com", Kind: "Widget", Plural: "widgets", Versions: []crd.Version{{Name: "v1", Served: true}, {Name: "v2", Served: true, Storage: true}}}

// answers is an API server that gives one answer after the other, and the last one for ever.
func answers(t *testing.T, asked *atomic.Int32, hashes ...string) *rest.Config {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/apis/example.com/v2" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		hash := hashes[min(int(asked.Add(1)), len(hashes))-1]
		if hash == "404" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(metav1.APIResourceList{GroupVersion: "example.com/v2", APIResources: []metav1.APIResource{
			{Name: "gadgets", StorageVersionHash: "other"}, {Name: "widgets", Kind: "Widget", StorageVersionHash: hash},
		}})
	}))
	t.Cleanup(s.Close)
	return &rest.Config{Host: s.URL}
}

// TestAwait has two servers, of which one learns of the version later.
func TestAwait(t *testing.T) {
	var early, late atomic.Int32
	var waits []string
	o := Options{Patience: time.Minute, Waits: func(server string, why error) { waits = append(waits, server+" "+why.Error()) }}
	o.Servers = []*rest.Config{answers(t, &early, hash(widgets)), answers(t, &late, "404", "old", hash(widgets))}
	if err := Await(t.Context(), widgets, o); err != nil {
		t.Fatal(err)
	}
	if early.Load() != 1 || late.Load() != 3 {
		t.Errorf("asked %d and %d times", early.Load(), late.Load())
	}
	if diff := cmp.Diff([]string{o.Servers[1].Host + " it does not serve example.com/v2"}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// TestServersThatDoNotShowVersion names each such server, and what to do.
func TestServersThatDoNotShowVersion(t *testing.T) {
	var asked atomic.Int32
	o := Options{Patience: time.Millisecond, Waits: func(string, error) {}}
	o.Servers = []*rest.Config{answers(t, &asked, "404"), answers(t, &asked, "old"), {Host: "http://127.0.0.1:1"}}
	err := Await(t.Context(), widgets, o)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		o.Servers[0].Host + ": it does not serve example.com/v2", o.Servers[1].Host + ": it stores widgets.example.com in another version than v2",
		o.Servers[2].Host + ": ", "--settle 30s",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
}

// TestHash pins the hash. tools/e2e/upgrade compares it with those of kube-apiserver.
func TestHash(t *testing.T) {
	if got, want := hash(widgets), "zRcoV5EeA3s="; got != want {
		t.Errorf("the hash is %s, want %s", got, want)
	}
}

// TestFound reads the addresses of API servers.
func TestFound(t *testing.T) {
	for _, test := range []struct {
		reason string
		slices []string
		want   []string
		fails  string
	}{
		{"two servers of one slice", []string{`{"addresses":["10.0.0.1","10.0.0.2"]}`}, []string{"https://10.0.0.1:6443", "https://10.0.0.2:6443"}, ""},
		{"two families", []string{`{"addresses":["10.0.0.1"]}`, `{"addresses":["fd00::1"]}`, `{"addresses":["10.0.0.1"]}`}, []string{"https://10.0.0.1:6443", "https://[fd00::1]:6443"}, ""},
		{"no slice", nil, nil, "no addresses"},
		{"a hostile name", []string{`{"addresses":["evil.example.com/"]}`}, nil, "is no address"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var objects []runtime.Object
			for i, slice := range test.slices {
				o := &unstructured.Unstructured{}
				text := `{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"namespace":"default","name":"kubernetes` + string(rune('a'+i)) +
					`","labels":{"kubernetes.io/service-name":"kubernetes"}},"ports":[{"name":"https","port":6443}],"endpoints":[` + slice + `]}`
				if err := json.Unmarshal([]byte(text), &o.Object); err != nil {
					t.Fatal(err)
				}
				objects = append(objects, o)
			}
			c := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{endpoints: "EndpointSliceList"}, objects...)
			servers, err := Found(t.Context(), &rest.Config{Host: "https://lb.example.com", BearerToken: "x"}, c)
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) || !strings.Contains(err.Error(), instead) {
					t.Fatalf("the error is %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range servers {
				got = append(got, s.Host)
				if s.ServerName != "kubernetes.default.svc" || s.BearerToken != "x" {
					t.Errorf("the client is %v", s)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNamed refuses what is no URL of an API server.
func TestNamed(t *testing.T) {
	config := &rest.Config{Host: "https://lb.example.com", BearerToken: "x"}
	servers, err := Named(config, []string{"https://10.0.0.1:6443", "https://proxy.example.com/k8s/one"})
	if err != nil || len(servers) != 2 || servers[1].Host != "https://proxy.example.com/k8s/one" || servers[1].BearerToken != "x" {
		t.Errorf("%v, %v", servers, err)
	}
	for _, text := range []string{"10.0.0.1", "http://10.0.0.1", "https://", "https://a:b@c", "https://a?b", "https://a#b", "\n"} {
		if _, err := Named(config, []string{text}); err == nil || !strings.Contains(err.Error(), "--server") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestInterrupt ends a wait.
func TestInterrupt(t *testing.T) {
	var asked atomic.Int32
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	o := Options{Patience: time.Hour, Waits: func(string, error) { cancel(stop) }, Servers: []*rest.Config{answers(t, &asked, "old")}}
	if err := Await(ctx, widgets, o); !errors.Is(err, stop) {
		t.Errorf("the error is %v", err)
	}
}

// TestFoundChecksCertificates refuses to find API servers if nothing proves who they are.
func TestFoundChecksCertificates(t *testing.T) {
	config := &rest.Config{TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	c := fake.NewSimpleDynamicClient(runtime.NewScheme())
	if _, err := Found(t.Context(), config, c); err == nil || !strings.Contains(err.Error(), "--settle 30s") {
		t.Errorf("the error is %v", err)
	}
	if len(c.Actions()) > 0 {
		t.Errorf("it asked for %v", c.Actions())
	}
}

// TestServerThatStillServes waits for a server that serves a version which the CRD no longer
// serves: a client could write it there.
func TestServerThatStillServes(t *testing.T) {
	for _, still := range []bool{true, false} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/apis/example.com/v1" && !still {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(metav1.APIResourceList{GroupVersion: r.URL.Path[len("/apis/"):], APIResources: []metav1.APIResource{{Name: "widgets", StorageVersionHash: hash(widgets)}}})
		}))
		err := Await(t.Context(), widgets, Options{Servers: []*rest.Config{{Host: s.URL}}, Unserved: []string{"v1"}, Waits: func(string, error) {}})
		if (err != nil) != still || still && !strings.Contains(err.Error(), "it still serves widgets.example.com in v1") {
			t.Errorf("serves v1 %t: %v", still, err)
		}
		s.Close()
	}
}
