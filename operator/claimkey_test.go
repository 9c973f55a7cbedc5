package operator

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/stratakube/strata/operator/annotation"
)

var keyOfTests = types.NamespacedName{Namespace: "system", Name: "claim-key"}

func keyCluster(t *testing.T, funcs interceptor.Funcs, objects ...client.Object) client.Client {
	t.Helper()
	scheme := k8sruntime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(funcs).Build()
}

func secretOfKeys(data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: keyOfTests.Namespace, Name: keyOfTests.Name}, Data: data}
}

func keyOptions(t *testing.T, log *slog.Logger) Options {
	t.Helper()
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return Options{ClaimKey: keyOfTests, Log: log}
}

// signs returns a claim that keys have signed.
func signs(keys *annotation.Keys) *metav1.PartialObjectMetadata {
	m := annotation.State{Owned: true, Signed: true, ID: "a"}
	annotations, all := m.Annotations("uid"), map[string]string{}
	keys.Sign(m, "uid", annotations)
	for name, value := range annotations {
		if value != nil {
			all[name] = *value
		}
	}
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: "uid", Annotations: all}}
}

// TestReplicasShareKey starts replicas at the same time, with a Secret that is empty or does not
// exist. All of them, and later processes, accept what each has signed.
func TestReplicasShareKey(t *testing.T) {
	for _, objects := range [][]client.Object{nil, {secretOfKeys(nil)}} {
		c := keyCluster(t, interceptor.Funcs{}, objects...)
		all := make([]*annotation.Keys, 8)
		var group sync.WaitGroup
		for i := range all {
			group.Go(func() {
				keys, err := keyOptions(t, nil).claimKeys(t.Context(), c, c)
				if err != nil {
					t.Error(err)
				}
				all[i] = keys
			})
		}
		group.Wait()
		for _, one := range all {
			for _, other := range all {
				if !other.Read(signs(one)).Signed {
					t.Fatal("a replica does not accept what another one has signed")
				}
			}
		}
	}
}

// TestRotatedKeys adds a key to the Secret, and then removes the old one.
func TestRotatedKeys(t *testing.T) {
	first, second := bytes.Repeat([]byte("a"), 32), bytes.Repeat([]byte("b"), 32)
	var keys []*annotation.Keys
	for _, data := range []map[string][]byte{{"1": first}, {"1": first, "2": second}, {"2": second}} {
		c := keyCluster(t, interceptor.Funcs{}, secretOfKeys(data))
		is, err := keyOptions(t, nil).claimKeys(t.Context(), c, c)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, is)
	}
	for i, want := range [][]bool{{true, true, false}, {false, true, true}, {false, true, true}} {
		for j, is := range keys {
			if got := is.Read(signs(keys[i])).Signed; got != want[j] {
				t.Errorf("what keys %d have signed is accepted by %d: %t", i, j, got)
			}
		}
	}
}

// TestKeysThatAreNone is a table over Secrets that cannot be used. The message names the Secret and
// what to do, and no value.
func TestKeysThatAreNone(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "claim-key", errors.New("no"))
	for want, c := range map[string]client.Client{
		"at least 32": keyCluster(t, interceptor.Funcs{}, secretOfKeys(map[string][]byte{"1": []byte("short-value")})),
		"forbidden: no": keyCluster(t, interceptor.Funcs{Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return forbidden
		}}),
		"forbidden:": keyCluster(t, interceptor.Funcs{Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
			return forbidden
		}}),
		"changes all the time": keyCluster(t, interceptor.Funcs{Update: func(context.Context, client.WithWatch, client.Object, ...client.UpdateOption) error {
			return apierrors.NewConflict(schema.GroupResource{}, "claim-key", errors.New("no"))
		}}, secretOfKeys(nil)),
	} {
		_, err := keyOptions(t, nil).claimKeys(t.Context(), c, c)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), keyOfTests.String()) || !strings.Contains(err.Error(), "hint: ") || strings.Contains(err.Error(), "short-value") {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// TestWhereKeyIs is a table over options. Without any namespace, claims are not signed, and the
// log says so.
func TestWhereKeyIs(t *testing.T) {
	for _, test := range []struct {
		options Options
		want    string
	}{
		{Options{ClaimKey: keyOfTests}, "system/claim-key"},
		{Options{LeaderElection: Election{Namespace: "lease"}}, "lease/" + claimKeyName},
		{Options{ClaimKey: noClaimKey, LeaderElection: Election{Namespace: "lease"}}, "/"},
		{Options{}, "/"},
	} {
		if is := test.options.claimKeyOf().String(); is != test.want {
			t.Errorf("the key is in %s, want %s", is, test.want)
		}
	}
	var log bytes.Buffer
	o := Options{ClaimKey: noClaimKey, Log: slog.New(slog.NewTextHandler(&log, nil))}
	if keys, err := o.claimKeys(t.Context(), nil, nil); keys != nil || err != nil || !strings.Contains(log.String(), "claims are not signed") {
		t.Errorf("keys are %v, %v: %s", keys, err, &log)
	}
}

// TestFlagOfKey is a table over values of the flag.
func TestFlagOfKey(t *testing.T) {
	for value, want := range map[string]string{"a/b": "a/b", "off": "/off", "b": "", "/b": "", "a/": "", "a/b/c": ""} {
		f := newFlags("operator")
		err := f.parse([]string{"--plugins=x", "--claim-key=" + value})
		if (err == nil) != (want != "") || err == nil && f.options.ClaimKey.String() != want {
			t.Errorf("%s: %v, %v", value, f.options.ClaimKey, err)
		}
	}
}
