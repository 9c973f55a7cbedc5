package provider_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/stratakube/strata/operator/provider"
)

// TestOutputsAreNoCredentials covers an object whose author lets the operator write a Secret with
// the values of credentials. Neither by its default name nor by an annotation does it become the
// credentials of an object.
func TestOutputsAreNoCredentials(t *testing.T) {
	for _, named := range []string{"", "mine"} {
		name := named
		if name == "" {
			name = provider.DefaultCredentials
		}
		c := &provider.Credentials{Reader: fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, Labels: map[string]string{provider.OfObject: "some-uid"}},
			Data:       map[string][]byte{"AZURE_TENANT_ID": []byte("t")},
		}).Build()}
		got, err := c.For(t.Context(), client.ObjectKey{Namespace: "a", Name: "ada"}, named)
		var refused *provider.RefError
		if got != nil || !errors.As(err, &refused) || refused.Reason != provider.ReasonSecretMissing || !strings.Contains(refused.Message, name) {
			t.Errorf("%s: the credentials are %v (%v)", name, got, err)
		}
	}
}

// TestLastCredentials covers a Secret that was deleted with its namespace, and one of an earlier
// namespace with the same name, maybe of another tenant.
func TestLastCredentials(t *testing.T) {
	made := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: provider.DefaultCredentials, CreationTimestamp: metav1.NewTime(made)},
		Data:       map[string][]byte{"AZURE_TENANT_ID": []byte("t")},
	}
	store := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(secret).Build()
	c, ada := &provider.Credentials{Reader: store}, client.ObjectKey{Namespace: "a", Name: "ada"}
	if got, err := c.Last(t.Context(), ada, secret.Name, made); got != nil || err != nil {
		t.Errorf("no Secret was read, and the last one is %v (%v)", got, err)
	}
	if _, err := c.For(t.Context(), ada, ""); err != nil {
		t.Fatal(err)
	}
	if err := store.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	for reason, test := range map[string]struct {
		namespace time.Time
		known     bool
	}{
		"a Secret of the namespace":           {made.Add(-time.Minute), true},
		"one that was made with it":           {made, true},
		"one of an earlier namespace of that": {made.Add(time.Minute), false},
	} {
		got, err := c.Last(t.Context(), ada, secret.Name, test.namespace)
		if err != nil || (got != nil) != test.known || test.known && string(got.GetValues()["AZURE_TENANT_ID"]) != "t" {
			t.Errorf("%s: the last credentials are %v (%v)", reason, got, err)
		}
	}
}
