package conversion_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"

	operatorapi "github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/ca"
	"github.com/stratakube/strata/tools/testcluster/loopback"
	"github.com/stratakube/strata/tools/testcluster/shared"
	"github.com/stratakube/strata/webhook/certs"
	"github.com/stratakube/strata/webhook/server"
)

// site is a cluster with the worked example in it.
type site struct {
	*apiserver.Cluster
	client    dynamic.Interface // the administrator's
	kinds     []*kind
	balancer  *balancer
	ca        *ca.CA
	inProcess string // where the webhook in this process listens
}

var (
	opened  sync.Once
	theSite *site
)

// open returns the site of all tests.
func open(t testing.TB) *site {
	t.Helper()
	c := shared.Of(t)
	opened.Do(func() {
		s := &site{Cluster: c, client: shared.Client(t, c.Config)}
		s.kinds, s.balancer, s.ca = kinds(t), newBalancer(t), newCA(t, "webhooks")
		s.inProcess = serveHere(t, c, s.ca)
		s.balancer.send(s.inProcess)
		s.trust(t, ca.Bundle(s.ca))
		s.awaitServed(t)
		theSite = s
	})
	if theSite == nil {
		t.Fatal("the worked example is not served: see the first test")
	}
	return theSite
}

// serveHere serves conversions in this process until it ends.
func serveHere(t testing.TB, c *apiserver.Cluster, by *ca.CA) string {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(c.Kubeconfig), "webhook-")
	if err != nil {
		t.Fatal(err)
	}
	f := filesIn(dir)
	f.certify(t, by)
	scheme := runtime.NewScheme()
	if err := operatorapi.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	listens := make(chan string, 1)
	go func() {
		err := server.Run(context.Background(), server.Options{
			Scheme: scheme, Certificates: certs.NewFiles(f.cert, f.key, nil), Address: loopback.AnyPort,
			Listening: func(conversions, _, _ net.Addr) { listens <- conversions.String() },
		})
		panic(fmt.Sprintf("the webhook ended: %v", err))
	}()
	return <-listens
}

// trust applies the definitions with the balancer as their webhook, and what its certificates are
// checked with.
func (s *site) trust(t testing.TB, caBundle []byte) {
	t.Helper()
	url := fmt.Sprintf("https://%s/convert", s.balancer.listener.Addr())
	crds.Apply(t, s.client, v1.WebhookClientConfig{URL: &url, CABundle: caBundle}, s.crds()...)
}

func (s *site) crds() (all []*crds.Kind) {
	for _, k := range s.kinds {
		all = append(all, k.Kind)
	}
	return all
}

// awaitServed waits until every version of every kind can be listed.
func (s *site) awaitServed(t testing.TB) {
	t.Helper()
	crds.AwaitServed(t, s.client, s.crds()...)
}

// namespace makes a namespace of the test's own.
func (s *site) namespace(t testing.TB) string {
	t.Helper()
	return crds.Namespace(t, s.client, "conversion-")
}

// view gives one user access to the objects of one kind in a namespace.
type view struct {
	crds.Objects
	t    testing.TB
	kind *kind
}

func newView(t testing.TB, client dynamic.Interface, k *kind, namespace string) view {
	return view{crds.Objects{T: t, Client: client, Kind: k.Kind, Namespace: namespace}, t, k}
}

// in returns the administrator's access to the objects of a kind in a namespace.
func (s *site) in(t testing.TB, k *kind, namespace string) view {
	return newView(t, s.client, k, namespace)
}

// create writes an object through a version, with all members that its spec and status can have.
func (p view) create(version, name string) *unstructured.Unstructured {
	p.t.Helper()
	return p.Create(version, p.kind.of(version, name), p.kind.filled(version, "status"))
}

// refused reports whether the API server took an object for invalid.
func refused(err error) bool { return apierrors.IsInvalid(err) }
