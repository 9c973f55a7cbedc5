package operator_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	extensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator"
	operatorapi "github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/operator/fakeprovider"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/shared"
	"github.com/stratakube/strata/webhook"
)

const example = "../../../operator/api"

// site is a cluster with the worked example in it.
type site struct {
	*apiserver.Cluster
	client  dynamic.Interface
	kinds   map[string]*crds.Kind
	reviews *atomic.Int64 // that the webhook was sent
}

var (
	opened  sync.Once
	theSite *site
)

var (
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	secrets    = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

// open is the site of all tests.
func open(t *testing.T) *site {
	t.Helper()
	c := shared.Of(t)
	opened.Do(func() {
		s := &site{Cluster: c, client: shared.Client(t, c.Config), kinds: map[string]*crds.Kind{}, reviews: new(atomic.Int64)}
		s.install(t, s.serve(t))
		theSite = s
	})
	if theSite == nil {
		t.Fatal("the worked example is not served: see the first test")
	}
	return theSite
}

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := operatorapi.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}

// serve serves conversions in this process until it ends, and counts the reviews.
func (s *site) serve(t *testing.T) extensions.WebhookClientConfig {
	t.Helper()
	e, err := webhook.EngineOf(newScheme(t))
	if err != nil {
		t.Fatal(err)
	}
	handler := webhook.New(e, webhook.Options{})
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.reviews.Add(1)
		handler.ServeHTTP(w, r)
	}))
	url := server.URL + webhook.Path
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return extensions.WebhookClientConfig{URL: &url, CABundle: bundle}
}

// install applies the definitions and waits until all versions are served.
func (s *site) install(t *testing.T, to extensions.WebhookClientConfig) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(example, "crds", "*.yaml"))
	if err != nil || len(files) != 3 {
		t.Fatalf("the definitions are %q (%v)", files, err)
	}
	var all []*crds.Kind
	for _, file := range files {
		k := crds.Read(t, file)
		s.kinds[k.Spec.Names.Kind] = k
		all = append(all, k)
	}
	crds.Apply(t, s.client, to, all...)
	crds.AwaitServed(t, s.client, all...)
}

// serve has the API server serve a version of a kind, or not, and waits until it does so.
func (p *sandbox) serve(kind, version string, yes bool) {
	p.Helper()
	ctx := context.Background() // also after the test
	all := p.client.Resource(crds.Definitions)
	shared.Eventually(p, crds.Patience, "the CRD is written", func() error {
		d, err := all.Get(ctx, p.kinds[kind].Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		versions, _, err := unstructured.NestedSlice(d.Object, "spec", "versions")
		if err != nil {
			return err
		}
		for _, one := range versions {
			if v := one.(map[string]any); v["name"] == version {
				v["served"] = yes
			}
		}
		if err := unstructured.SetNestedSlice(d.Object, versions, "spec", "versions"); err != nil {
			return err
		}
		_, err = all.Update(ctx, d, metav1.UpdateOptions{})
		return err
	})
	shared.Eventually(p, crds.Patience, fmt.Sprintf("%s is served in %s: %t", kind, version, yes), func() error {
		_, err := p.through(kind, version).List(ctx, metav1.ListOptions{})
		if (err == nil) != yes {
			return errNotYet
		}
		return nil
	})
}

func (s *site) resource(kind, version string) schema.GroupVersionResource {
	return s.kinds[kind].Resource(version)
}

// hub is the version of a kind that is stored.
func (s *site) hub(kind string) string { return s.kinds[kind].Hub }

// versions are the API versions of a kind, the first one first.
func (s *site) versions(kind string) []string {
	return slices.Sorted(slices.Values(s.kinds[kind].Versions))
}

// filled returns a spec with all members that a version of a kind has, without an owner.
func (s *site) filled(t *testing.T, kind, version string) map[string]any {
	t.Helper()
	spec := crds.Example(t, kind)["spec"].(map[string]any)
	delete(spec, "owner")
	delete(spec, "azureName")
	return crds.Cut(spec, s.kinds[kind].Schema(version).Properties["spec"]).(map[string]any)
}

// sandbox is a namespace with an external API of its own.
type sandbox struct {
	*testing.T
	*site
	cloud     *fakeprovider.Cloud
	namespace string
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	s := open(t)
	namespace := crds.Namespace(t, s.client, "operator-")
	return &sandbox{T: t, site: s, cloud: &fakeprovider.Cloud{}, namespace: namespace}
}

// running is an operator that runs.
type running struct {
	t      *testing.T
	cancel context.CancelFunc
	ended  chan error
	writes *atomic.Int64 // of objects and their statuses
	events *atomic.Int64 // events
	leases *atomic.Int64 // looks at the lease
}

// operate starts an operator for the namespace. It ends with the test.
func (p *sandbox) operate(edit func(*operator.Options)) *running {
	p.Helper()
	r := &running{t: p.T, ended: make(chan error, 1), writes: new(atomic.Int64), events: new(atomic.Int64), leases: new(atomic.Int64)}
	config := rest.CopyConfig(p.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(request *http.Request) (*http.Response, error) {
			switch {
			case strings.Contains(request.URL.Path, "/leases"):
				r.leases.Add(1)
			case request.Method == http.MethodGet:
			case strings.Contains(request.URL.Path, "/events"):
				r.events.Add(1)
			default:
				r.writes.Add(1)
			}
			return next.RoundTrip(request)
		})
	})
	o := operator.Options{
		Config: config, Scheme: newScheme(p.T), Host: plugintest.InMemory(p.T, p.cloud.Register),
		Providers:  []provider.Entry{{Name: fakeprovider.Name}},
		Namespaces: []string{p.namespace}, Resync: time.Hour, Patience: 50 * time.Millisecond,
		Registry: prometheus.NewRegistry(),
	}
	if edit != nil {
		edit(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() { r.ended <- operator.Run(ctx, o) }()
	p.Cleanup(func() { r.stop() })
	return r
}

// stop ends the operator, and waits for that.
func (r *running) stop() {
	r.t.Helper()
	if r.cancel == nil {
		return
	}
	r.cancel()
	r.cancel = nil
	select {
	case err := <-r.ended:
		if err != nil {
			r.t.Errorf("the operator ended with %v", err)
		}
	case <-time.After(crds.Patience):
		r.t.Error("the operator does not end")
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (p *sandbox) through(kind, version string) dynamic.ResourceInterface {
	return p.client.Resource(p.resource(kind, version)).Namespace(p.namespace)
}

// write makes an object through a version, with annotations.
func (p *sandbox) write(kind, version, name string, spec map[string]any, pairs ...string) *unstructured.Unstructured {
	p.Helper()
	annotations := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		annotations[pairs[i]] = pairs[i+1]
	}
	return shared.Must(p)(p.through(kind, version).Create(p.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": p.kinds[kind].Spec.Group + "/" + version, "kind": kind,
		"metadata": map[string]any{"name": name, "annotations": annotations}, "spec": spec,
	}}, metav1.CreateOptions{}))
}

func (p *sandbox) edit(kind, version, name string, edit func(*unstructured.Unstructured)) {
	p.Helper()
	shared.Eventually(p, crds.Patience, "edit "+name, func() error {
		object, err := p.through(kind, version).Get(p.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		edit(object)
		_, err = p.through(kind, version).Update(p.Context(), object, metav1.UpdateOptions{})
		return err
	})
}

func (p *sandbox) stored(kind, name string) *unstructured.Unstructured {
	p.Helper()
	return shared.Must(p)(p.through(kind, p.hub(kind)).Get(p.Context(), name, metav1.GetOptions{}))
}

// awaits waits until a condition of an object has a status and a reason.
func (p *sandbox) awaits(kind, name, condition, status, reason string) {
	p.Helper()
	shared.Eventually(p, crds.Patience, name+" is "+condition+" "+status+" "+reason, func() error {
		object, err := p.through(kind, p.hub(kind)).Get(p.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		list, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
		for _, one := range list {
			c := one.(map[string]any)
			if c["type"] == condition && c["status"] == status && c["reason"] == reason && c["observedGeneration"] == object.GetGeneration() {
				return nil
			}
		}
		return fmt.Errorf("the conditions are %v", list)
	})
}

func (p *sandbox) ready(kind, name string) {
	p.Helper()
	p.awaits(kind, name, "Ready", "True", "Succeeded")
}

func (p *sandbox) delete(kind, name string) {
	p.Helper()
	if err := p.through(kind, p.hub(kind)).Delete(p.Context(), name, metav1.DeleteOptions{}); err != nil {
		p.Fatal(err)
	}
}

func (p *sandbox) gone(kind, name string) {
	p.Helper()
	shared.Eventually(p, crds.Patience, name+" is gone", func() error {
		object, err := p.through(kind, p.hub(kind)).Get(p.Context(), name, metav1.GetOptions{})
		if err == nil {
			return fmt.Errorf("it is there: %v", object.Object["status"])
		}
		return client.IgnoreNotFound(err)
	})
}

func (p *sandbox) once() {
	p.Helper()
	if twice := p.cloud.Duplicates(); len(twice) > 0 {
		p.Errorf("these were made more than once: %v", twice)
	}
}

var errNotYet = errors.New("not yet")
