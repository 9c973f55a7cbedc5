package provider

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestNamespacesDisplaceNoCredentials reads more Secrets of a namespace than are stored. Those of
// another namespace remain.
func TestNamespacesDisplaceNoCredentials(t *testing.T) {
	b := fake.NewClientBuilder().WithObjects(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "victim", Name: DefaultCredentials}})
	for i := range 2 * maxSecrets {
		b.WithObjects(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "eve", Name: fmt.Sprint("s", i)}})
	}
	c := &Credentials{Reader: b.Build()}
	victim := client.ObjectKey{Namespace: "victim", Name: "ada"}
	if _, err := c.For(t.Context(), victim, ""); err != nil {
		t.Fatal(err)
	}
	eve := client.ObjectKey{Namespace: "eve", Name: "x"}
	for i := range 2 * maxSecrets {
		for _, name := range []string{fmt.Sprint("s", i), "s0"} {
			if _, err := c.For(t.Context(), eve, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if found, err := c.Last(t.Context(), victim, DefaultCredentials, time.Time{}); found == nil || err != nil {
		t.Errorf("the credentials of another namespace are forgotten (%v)", err)
	}
	if n := len(c.last.namespaces["eve"].secrets); n != maxSecrets {
		t.Errorf("%d Secrets of a namespace are remembered, want %d", n, maxSecrets)
	}
	for name, want := range map[string]bool{"s0": true, "s1": false, fmt.Sprint("s", 2*maxSecrets-1): true} {
		if _, has := c.last.get(client.ObjectKey{Namespace: "eve", Name: name}); has != want {
			t.Errorf("%s is remembered: %t", name, has)
		}
	}
}

// TestRecallIsBounded reads Secrets of more namespaces than are stored, and larger ones.
func TestRecallIsBounded(t *testing.T) {
	var r recall
	first := client.ObjectKey{Namespace: "first", Name: "s"}
	r.put(first, secret{data: map[string][]byte{"k": []byte("v")}})
	for i := range maxNamespaces {
		r.put(client.ObjectKey{Namespace: fmt.Sprint("n", i), Name: "s"}, secret{})
		if i == maxNamespaces/2 {
			r.get(first)
		}
	}
	if _, has := r.get(first); !has || len(r.namespaces) != maxNamespaces {
		t.Errorf("%d namespaces are remembered, and the one in use: %t", len(r.namespaces), has)
	}
	if _, has := r.get(client.ObjectKey{Namespace: "n0", Name: "s"}); has {
		t.Error("the namespace that was used longest ago is remembered")
	}
	for size, want := range map[int]bool{maxSecret - 1: true, maxSecret: false} {
		r.put(first, secret{data: map[string][]byte{"k": make([]byte, size)}})
		if _, has := r.get(first); has != want {
			t.Errorf("a Secret with a value of %d bytes is remembered: %t", size, has)
		}
	}
}
