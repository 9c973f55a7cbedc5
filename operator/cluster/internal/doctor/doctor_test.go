package doctor

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	coretesting "k8s.io/client-go/testing"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// issuer signs certificates.
type issuer struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newIssuer(t *testing.T, end time.Time) *issuer {
	t.Helper()
	i := &issuer{}
	i.cert, i.key = i.sign(t, &x509.Certificate{Subject: pkix.Name{CommonName: "ca"}, IsCA: true, BasicConstraintsValid: true, NotAfter: end})
	return i
}

func (i *issuer) sign(t *testing.T, of *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of.SerialNumber, of.NotBefore = big.NewInt(1), now.Add(-time.Hour)
	by, parent := i.key, i.cert
	if by == nil {
		by, parent = key, of
	}
	der, err := x509.CreateCertificate(rand.Reader, of, parent, &key.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

func (i *issuer) server(t *testing.T, name string, end time.Time) *x509.Certificate {
	t.Helper()
	cert, _ := i.sign(t, &x509.Certificate{DNSNames: []string{name}, NotAfter: end})
	return cert
}

func encoded(certs ...*x509.Certificate) string {
	var out bytes.Buffer
	for _, c := range certs {
		_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}) // to memory
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

func TestCertificate(t *testing.T) {
	const host = "hook.ns.svc"
	year := now.AddDate(1, 0, 0)
	ours, other := newIssuer(t, year), newIssuer(t, year)
	short := newIssuer(t, now.Add(soon-time.Minute))
	for _, test := range []struct {
		reason, bundle, serving, want string
	}{
		{"a certificate of the CA", encoded(ours.cert), encoded(ours.server(t, host, year)), ""},
		{"one of two CAs", encoded(other.cert, ours.cert), encoded(ours.server(t, host, year)), ""},
		{"no bundle", "", encoded(ours.server(t, host, year)), "ca-missing"},
		{"a bundle that is none", base64.StdEncoding.EncodeToString([]byte("x")), "", "ca-invalid"},
		{"a CA that ends soon", encoded(short.cert), encoded(short.server(t, host, year)), "ca-expired"},
		{"another CA", encoded(other.cert), encoded(ours.server(t, host, year)), "ca-mismatch"},
		{"another name", encoded(ours.cert), encoded(ours.server(t, "other.ns.svc", year)), "ca-mismatch"},
		{"a certificate that has ended", encoded(ours.cert), encoded(ours.server(t, host, now.Add(-time.Minute))), "ca-mismatch"},
		{"an empty Secret", encoded(ours.cert), "", "certificate-missing"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			secret := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": "ns", "name": "hook-serving"}, "data": map[string]any{"tls.crt": test.serving},
			}}
			e := examine(t, secret)
			e.certificate(t.Context(), hooked(t, test.bundle))
			if got := ids(e); got != test.want {
				t.Errorf("findings %q, want %q: %+v", got, test.want, e.out.Findings)
			}
		})
	}
}

// TestSecretThatMayNotBeRead is a note, which does not count.
func TestSecretThatMayNotBeRead(t *testing.T) {
	e := examine(t)
	e.Cluster.(*fake.FakeDynamicClient).PrependReactor("get", "secrets", func(coretesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "hook-serving", nil)
	})
	e.certificate(t.Context(), hooked(t, encoded(newIssuer(t, now.AddDate(1, 0, 0)).cert)))
	if got := ids(e); got != "not-checked" || e.out.Failed() {
		t.Errorf("findings %+v", e.out.Findings)
	}
}

// TestKindWithoutWebhook is an error for a kind of Strata, whose hub needs conversions.
func TestKindWithoutWebhook(t *testing.T) {
	d := hooked(t, "")
	d.Converts, d.Webhook = false, nil
	e := examine(t)
	e.webhook(t.Context(), d)
	if got := ids(e); got != "webhook-unset" || !e.out.Failed() {
		t.Errorf("findings %+v", e.out.Findings)
	}
	d.Strata = false
	e = examine(t)
	e.webhook(t.Context(), d)
	if got := ids(e); got != "" {
		t.Errorf("findings about the kind of another program: %+v", e.out.Findings)
	}
}

func examine(t *testing.T, objects ...runtime.Object) *examination {
	t.Helper()
	return &examination{Options: Options{Now: now, Cluster: fake.NewSimpleDynamicClient(runtime.NewScheme(), objects...)}}
}

func ids(e *examination) string {
	var out []string
	for _, f := range e.out.Findings {
		out = append(out, f.ID)
	}
	return strings.Join(out, " ")
}

// hooked returns a CRD with a webhook.
func hooked(t *testing.T, bundle string) *crd.CRD {
	t.Helper()
	text, err := json.Marshal(map[string]any{"spec": map[string]any{
		"group": "a.example.com", "names": map[string]any{"plural": "as", "kind": "A"},
		"versions":   []any{map[string]any{"name": "v1storage", "served": true, "storage": true}},
		"conversion": map[string]any{"strategy": "Webhook", "webhook": map[string]any{"clientConfig": map[string]any{"service": map[string]any{"namespace": "ns", "name": "hook"}, "caBundle": bundle}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := crd.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestContains(t *testing.T) {
	for _, test := range []struct {
		reason, got, want string
		contains          bool
	}{
		{"defaults that the API server adds", `{"a": 1, "b": [{"c": 2, "d": 3}]}`, `{"b": [{"c": 2}]}`, true},
		{"another value", `{"a": 1}`, `{"a": 2}`, false},
		{"an absent member", `{}`, `{"a": 2}`, false},
		{"a shorter list", `{"a": [1]}`, `{"a": [1, 2]}`, false},
		{"a longer list", `{"a": [1, 2]}`, `{"a": [1]}`, false},
		{"another type", `{"a": "1"}`, `{"a": {"b": 1}}`, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var got, want any
			if json.Unmarshal([]byte(test.got), &got) != nil || json.Unmarshal([]byte(test.want), &want) != nil {
				t.Fatal("the test has no JSON")
			}
			if contains(got, want) != test.contains {
				t.Errorf("contains is %t", !test.contains)
			}
		})
	}
}
