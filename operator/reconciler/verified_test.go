package reconciler

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/provider"
)

// TestTenants is a table over two targets under one identifier, and whether they are resources of
// two tenants.
func TestTenants(t *testing.T) {
	of := func(id, credentials string, scope ...string) annotation.Target {
		target := annotation.Target{ID: id, Key: "k", Credentials: credentials, Scope: map[string]string{}}
		for i := 0; i+1 < len(scope); i += 2 {
			target.Scope[scope[i]] = scope[i+1]
		}
		return target
	}
	const in = "/subscriptions/1/ada"
	for _, test := range []struct {
		reason  string
		a, b    annotation.Target
		isOther bool
	}{
		{"the same", of(in, "", "tenant", "a"), of(in, "", "tenant", "a"), false},
		{"nothing is known of one", of(in, ""), of(in, "", "tenant", "a"), false},
		{"two tenants", of(in, "", "tenant", "a"), of(in, "", "tenant", "b"), true},
		{"two subscriptions of credentials, and the identifier names one", of(in, "", "subscription", "1"), of(in, "", "subscription", "2"), false},
		{"two subscriptions of credentials alone", of("/ada", "", "subscription", "1"), of("/ada", "", "subscription", "2"), true},
		{"two subscriptions, and one identifier names none", of("/ada", "", "subscription", "1"), of(in, "", "subscription", "2"), true},
		{"two tenants and two subscriptions", of(in, "", "subscription", "1", "tenant", "a"), of(in, "", "subscription", "2", "tenant", "b"), true},
		{"two endpoints", of(in, "", "endpoint", "a"), of(in, "", "endpoint", "b"), true},
		{"places, with one Secret", of("", "one"), of("", "one"), false},
		{"places, with Secrets that hold the same", of("", "one"), of("", "same"), false},
		{"places, with two Secrets", of("", "one"), of("", "two"), true},
		{"places, of which one is reached with the operator's own credentials", of("", "one"), of("", ""), true},
		{"places, both reached with the operator's own", of("", ""), of("", ""), false},
		{"a place and an identifier, with two Secrets", of("", "one"), of(in, "two"), false},
		{"nothing, with two Secrets", annotation.Target{Credentials: "one"}, annotation.Target{Credentials: "two"}, false},
	} {
		secret := func(name, value string) *corev1.Secret {
			s := &corev1.Secret{Data: map[string][]byte{"AZURE_TENANT_ID": []byte(value)}}
			s.Namespace, s.Name = "default", name
			return s
		}
		p := passOf(t, Options{Credentials: &provider.Credentials{
			Reader: fake.NewClientBuilder().WithObjects(secret("one", "x"), secret("same", "x"), secret("two", "y")).Build(),
		}})
		for _, both := range [][2]annotation.Target{{test.a, test.b}, {test.b, test.a}} {
			if got, err := p.isOtherTenants(t.Context(), both[0], "default", both[1]); got != test.isOther || err != nil {
				t.Errorf("%s: two tenants: %t (%v)", test.reason, got, err)
			}
		}
	}
}

// TestVerifiedClaims is a table over an object whose claim this process has registered, and its
// present state.
func TestVerifiedClaims(t *testing.T) {
	for _, test := range []struct {
		reason  string
		isOpen  bool
		claim   string
		uid     types.UID
		gone    bool
		err     error
		isRival bool
		fails   bool
	}{
		{reason: "it claims it", claim: `{"uid":"v","id":"/a","key":"/a"}`, uid: "v", isRival: true},
		{reason: "a pass over it goes on", isOpen: true, gone: true, isRival: true},
		{reason: "it claims nothing", uid: "v"},
		{reason: "it claims another one", claim: `{"uid":"v","id":"/b","key":"/b"}`, uid: "v"},
		{reason: "it was made anew, and claims it", claim: `{"uid":"w","id":"/a","key":"/a"}`, uid: "w"},
		{reason: "it is gone", gone: true},
		{reason: "nobody can read it", gone: true, err: errors.New("no"), fails: true},
	} {
		object := annotated(nil, annotation.Claim, test.claim)
		object.SetNamespace("default")
		object.SetName("bea")
		object.SetUID(test.uid)
		live := &reader{err: test.err, objects: map[string]*unstructured.Unstructured{"Person default/bea": object}}
		if test.gone {
			live.objects = nil
		}
		p := passOf(t, Options{Live: live})
		p.aim = annotation.Target{ID: "/a", Key: "/a"}
		other, counts, err := p.verified(t.Context(), claimant{kind: p.kind, key: client.ObjectKey{Namespace: "default", Name: "bea"}, uid: "v", isOpen: test.isOpen})
		if (other != nil) != test.isRival || counts != test.isRival || (err != nil) != test.fails || other != nil && other.object.GetName() != "bea" {
			t.Errorf("%s: it is a rival: %t (%v)", test.reason, other != nil, err)
		}
	}
}
