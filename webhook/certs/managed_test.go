package certs_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apix "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/stratakube/strata/webhook/certs"
)

const serverName = "webhook.strata.svc"

var secretName = types.NamespacedName{Namespace: "strata", Name: "certificates"}

// clock is a clock that tests set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func crdOf(name string) *apix.CustomResourceDefinition {
	return &apix.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: apix.CustomResourceDefinitionSpec{Conversion: &apix.CustomResourceConversion{
			Strategy: apix.WebhookConverter,
			Webhook:  &apix.WebhookConversion{ClientConfig: &apix.WebhookClientConfig{Service: &apix.ServiceReference{Name: "webhook", Namespace: "strata"}}},
		}},
	}
}

// cluster returns an API server with two CRDs.
func cluster(t *testing.T, funcs interceptor.Funcs, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme := k8sruntime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), apix.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	objects = append(objects, crdOf("persons.crm.example.com"), crdOf("parties.crm.example.com"))
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(funcs).Build()
}

func replica(t *testing.T, c client.Client, clock *clock) *certs.Managed {
	t.Helper()
	m, err := certs.NewManaged(c, certs.ManagedOptions{
		Secret: secretName, CRDs: []string{"persons.crm.example.com", "parties.crm.example.com"},
		Names: []string{serverName, "127.0.0.1"}, Now: clock.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func sync1(t *testing.T, m *certs.Managed) {
	t.Helper()
	if err := m.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func bundleOf(t *testing.T, c client.Client, name string) []byte {
	t.Helper()
	var crd apix.CustomResourceDefinition
	if err := c.Get(t.Context(), types.NamespacedName{Name: name}, &crd); err != nil {
		t.Fatal(err)
	}
	return crd.Spec.Conversion.Webhook.ClientConfig.CABundle
}

func rootsOf(t *testing.T, bundle []byte) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(bundle)
	return pool
}

// shake makes a real handshake with a replica, as an API server that trusts a bundle.
func shake(t *testing.T, m *certs.Managed, bundle []byte, clock *clock) (*x509.Certificate, error) {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{GetCertificate: m.GetCertificate, MinVersion: tls.VersionTLS13, Time: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		}
	}()
	dialer := &tls.Dialer{NetDialer: &net.Dialer{Timeout: 10 * time.Second}, Config: &tls.Config{RootCAs: rootsOf(t, bundle), ServerName: serverName, Time: clock.Now}}
	conn, err := dialer.DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

func TestFirstStart(t *testing.T) {
	for _, test := range []struct {
		reason  string
		objects []client.Object
	}{
		{"no secret", nil},
		{"an empty secret, as a chart leaves it", []client.Object{&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: secretName.Namespace, Name: secretName.Name}}}},
		{"a secret in which nothing makes sense", []client.Object{&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: secretName.Namespace, Name: secretName.Name},
			Data:       map[string][]byte{"ca.crt": []byte("x"), "ca.key": []byte("y"), "tls.crt": []byte("z")},
		}}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			clock := newClock()
			c := cluster(t, interceptor.Funcs{}, test.objects...)
			one, two := replica(t, c, clock), replica(t, c, clock)
			if one.Ready() == nil {
				t.Error("ready before anything was done")
			}
			sync1(t, one)
			sync1(t, two)
			var seen []*x509.Certificate
			for _, m := range []*certs.Managed{one, two} {
				if err := m.Ready(); err != nil {
					t.Error(err)
				}
				for _, crd := range []string{"persons.crm.example.com", "parties.crm.example.com"} {
					leaf, err := shake(t, m, bundleOf(t, c, crd), clock)
					if err != nil {
						t.Fatal(err)
					}
					seen = append(seen, leaf)
				}
			}
			for _, leaf := range seen[1:] {
				if !leaf.Equal(seen[0]) {
					t.Error("replicas serve with different certificates")
				}
			}
		})
	}
}

// TestRotation moves the clock through three years of two replicas that sync at different times.
// After each sync, clients connect to each replica with the present bundles of the CRDs. They
// also use the previous ones, because API servers notice a change later.
func TestRotation(t *testing.T) {
	clock := newClock()
	c := cluster(t, interceptor.Funcs{})
	replicas := []*certs.Managed{replica(t, c, clock), replica(t, c, clock)}
	sync1(t, replicas[0])
	sync1(t, replicas[1])
	before := bundleOf(t, c, "persons.crm.example.com")
	cas, leaves, overlaps := map[string]bool{}, map[string]bool{}, 0
	for look := range 3 * 365 * 2 {
		clock.pass(12 * time.Hour)
		sync1(t, replicas[look%2])
		now := bundleOf(t, c, "persons.crm.example.com")
		if string(now) != string(bundleOf(t, c, "parties.crm.example.com")) {
			t.Fatal("CRDs differ")
		}
		switch count := trusted(t, now, clock); {
		case count == 2:
			overlaps++
		case count > 2:
			t.Fatalf("look %d: %d CAs are trusted", look, count)
		}
		for i, m := range replicas {
			if look%29 != 0 && string(now) == string(before) {
				break
			}
			for _, bundle := range [][]byte{before, now} {
				leaf, err := shake(t, m, bundle, clock)
				if err != nil {
					t.Fatalf("look %d, replica %d: %v", look, i, err)
				}
				leaves[leaf.SerialNumber.String()] = true
				cas[leaf.Issuer.CommonName] = true
			}
		}
		before = now
	}
	if len(cas) < 4 || len(leaves) < 40 || overlaps < 100 {
		t.Errorf("%d CAs and %d certificates were met, and %d syncs with two CAs: too few to prove anything", len(cas), len(leaves), overlaps)
	}
}

// trusted counts the CAs of a bundle, of which none may have expired.
func trusted(t *testing.T, bundle []byte, clock *clock) int {
	t.Helper()
	count := 0
	for rest := bundle; len(rest) > 0; count++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			t.Fatalf("the bundle is no PEM: %q", bundle)
		}
		ca, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if now := clock.Now(); now.After(ca.NotAfter) {
			t.Fatalf("a CA is trusted at %s that expired at %s", now, ca.NotAfter)
		}
	}
	return count
}

// TestExpiredCAsLeave checks a time in which no replica ran: no expired CA remains in the bundles
// or the Secret, and clients trust the certificate then served.
func TestExpiredCAsLeave(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for _, test := range []struct {
		reason string
		before func(clock *clock, m *certs.Managed) // after the first sync
		want   int                                  // CAs, the newest first
	}{
		{"the only CA has expired", func(clock *clock, _ *certs.Managed) { clock.pass(year + time.Second) }, 1},
		{"the old of two has expired", func(clock *clock, m *certs.Managed) {
			clock.pass(300 * 24 * time.Hour)
			sync1(t, m) // a second CA
			clock.pass(66 * 24 * time.Hour)
		}, 1},
		{"both have expired", func(clock *clock, m *certs.Managed) {
			clock.pass(300 * 24 * time.Hour)
			sync1(t, m)
			clock.pass(2 * year)
		}, 1},
		{"the old of two has expired, and nothing else has changed", func(clock *clock, m *certs.Managed) {
			for _, days := range []time.Duration{300, 1, 1, 60} { // the second CA signs before, and its certificate is young
				clock.pass(days * 24 * time.Hour)
				sync1(t, m)
			}
			clock.pass(4 * 24 * time.Hour)
		}, 1},
		{"none has", func(clock *clock, m *certs.Managed) {
			clock.pass(300 * 24 * time.Hour)
			sync1(t, m)
		}, 2},
	} {
		t.Run(test.reason, func(t *testing.T) {
			clock := newClock()
			c := cluster(t, interceptor.Funcs{})
			m := replica(t, c, clock)
			sync1(t, m)
			test.before(clock, m)
			sync1(t, m)
			bundle := bundleOf(t, c, "persons.crm.example.com")
			if got := trusted(t, bundle, clock); got != test.want {
				t.Errorf("%d CAs are trusted, want %d", got, test.want)
			}
			var secret corev1.Secret
			if err := c.Get(t.Context(), secretName, &secret); err != nil {
				t.Fatal(err)
			}
			if got := trusted(t, secret.Data["ca.crt"], clock); got != test.want {
				t.Errorf("%d CAs are in the Secret, want %d", got, test.want)
			}
			if _, err := shake(t, m, bundle, clock); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNothingIsSignedBeforeItIsTrusted(t *testing.T) {
	clock := newClock()
	broken := false
	c := cluster(t, interceptor.Funcs{Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, options ...client.PatchOption) error {
		if broken && o.GetName() == "parties.crm.example.com" {
			return errors.New("forbidden")
		}
		return c.Patch(ctx, o, p, options...)
	}})
	m := replica(t, c, clock)
	sync1(t, m)
	first, err := m.GetCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	// The serving certificate is renewed by the old CA shortly before that is replaced, so
	// that it is young then.
	clock.pass(240 * 24 * time.Hour)
	sync1(t, m)
	broken = true
	clock.pass(4 * 24 * time.Hour)
	for range 5 {
		if m.Sync(t.Context()) == nil {
			t.Error("no error, and a CRD cannot be written")
		}
		clock.pass(time.Hour)
	}
	if err := m.Ready(); err != nil {
		t.Errorf("what was trusted is trusted no more: %v", err)
	}
	serving, err := m.GetCertificate(nil)
	if err != nil || serving.Leaf.Issuer.CommonName != first.Leaf.Issuer.CommonName {
		t.Errorf("served by %s before it was trusted: %v", serving.Leaf.Issuer, err)
	}
	broken = false
	sync1(t, m)
	sync1(t, m)
	if serving, err = m.GetCertificate(nil); err != nil || serving.Leaf.Issuer.CommonName != first.Leaf.Issuer.CommonName {
		t.Errorf("served by %s before it settled: %v", serving.Leaf.Issuer, err)
	}
	clock.pass(2 * time.Minute)
	sync1(t, m)
	if serving, err = m.GetCertificate(nil); err != nil || serving.Leaf.Issuer.CommonName == first.Leaf.Issuer.CommonName {
		t.Errorf("still served by the old CA: %v", err)
	}
}

// TestStaleReplicaTakesNothingBack checks that a replica that read before another one rotates
// cannot write the old state.
func TestStaleReplicaTakesNothingBack(t *testing.T) {
	clock := newClock()
	var between func()
	c := cluster(t, interceptor.Funcs{Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, options ...client.PatchOption) error {
		if act := between; act != nil {
			between = nil
			act()
		}
		return c.Patch(ctx, o, p, options...)
	}})
	slow, fast := replica(t, c, clock), replica(t, c, clock)
	sync1(t, slow)
	sync1(t, fast)
	// The bundles are emptied. The slow replica is about to write the old CA there when the other
	// one rotates.
	for _, name := range []string{"persons.crm.example.com", "parties.crm.example.com"} {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":null}}}}}`))
		if err := c.Patch(t.Context(), crdOf(name), patch); err != nil {
			t.Fatal(err)
		}
	}
	between = func() {
		clock.pass(250 * 24 * time.Hour)
		sync1(t, fast)
	}
	if slow.Sync(t.Context()) == nil {
		t.Error("the slow replica wrote over what the other had written")
	}
	if got := trusted(t, bundleOf(t, c, "persons.crm.example.com"), clock); got != 2 {
		t.Errorf("%d CAs are trusted, want the old and the new", got)
	}
	sync1(t, slow)
	if got := trusted(t, bundleOf(t, c, "persons.crm.example.com"), clock); got != 2 {
		t.Errorf("%d CAs are trusted after the next sync", got)
	}
}

func TestManagedRefuses(t *testing.T) {
	good := certs.ManagedOptions{Secret: secretName, CRDs: []string{"a.b"}, Names: []string{"a"}}
	for reason, change := range map[string]func(o *certs.ManagedOptions){
		"no secret":    func(o *certs.ManagedOptions) { o.Secret.Name = "" },
		"no namespace": func(o *certs.ManagedOptions) { o.Secret.Namespace = "" },
		"no CRDs":      func(o *certs.ManagedOptions) { o.CRDs = nil },
		"no names":     func(o *certs.ManagedOptions) { o.Names = nil },
		"certificates that outlive the overlap of CAs": func(o *certs.ManagedOptions) { o.CALife, o.ServingLife = time.Hour, 30*time.Minute },
	} {
		options := good
		change(&options)
		if _, err := certs.NewManaged(nil, options); err == nil {
			t.Errorf("%s is no error", reason)
		}
	}
}

func TestDefinitionsThatCannotBeTrusted(t *testing.T) {
	clock := newClock()
	other := crdOf("others.crm.example.com")
	other.Spec.Conversion = &apix.CustomResourceConversion{Strategy: apix.NoneConverter}
	c := cluster(t, interceptor.Funcs{}, other)
	for _, test := range []struct {
		reason string
		crds   []string
		ready  bool
	}{
		{"one that does not convert by webhook yet, beside another", []string{"persons.crm.example.com", "others.crm.example.com"}, true},
		{"none that converts by webhook yet", []string{"others.crm.example.com"}, true},
		{"one that is not there yet, beside another", []string{"persons.crm.example.com", "missing.crm.example.com"}, true},
		{"none that is there", []string{"missing.crm.example.com"}, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			m, err := certs.NewManaged(c, certs.ManagedOptions{Secret: secretName, CRDs: test.crds, Names: []string{serverName}, Now: clock.Now})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Sync(t.Context()); (err == nil) != test.ready {
				t.Errorf("error is %v", err)
			}
			if err := m.Ready(); (err == nil) != test.ready {
				t.Errorf("ready: %v", err)
			}
			if len(test.crds) == 2 {
				if _, err := shake(t, m, bundleOf(t, c, test.crds[0]), clock); err != nil {
					t.Errorf("the other CRD is not served: %v", err)
				}
			}
		})
	}
}
