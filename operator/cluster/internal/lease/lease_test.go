package lease

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic/fake"
)

// TestOneHolds has a second process that waits for the end of the first one, and a third one that
// takes the lease away.
func TestOneHolds(t *testing.T) {
	client := fake.NewSimpleDynamicClient(runtime.NewScheme())
	options := func(holder string, waits func(string)) Options {
		return Options{Client: client, Namespace: "n", Name: "l", Holder: holder, Duration: 3 * time.Second, Waits: waits}
	}
	_, end, err := Hold(t.Context(), options("a", nil))
	if err != nil {
		t.Fatal(err)
	}
	ended := false
	held, endOfB, err := Hold(t.Context(), options("b", func(holder string) {
		if holder != "a" || ended {
			t.Errorf("it waits for %q", holder)
		}
		ended = true
		end()
	}))
	if err != nil || !ended {
		t.Fatalf("the second process waited: %t, %v", ended, err)
	}
	defer endOfB()
	o := options("c", nil)
	l, err := o.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.write(t.Context(), l, "c"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-held.Done():
		if !errors.Is(context.Cause(held), errLost) {
			t.Errorf("the cause is %v", context.Cause(held))
		}
	case <-time.After(10 * time.Second):
		t.Error("the process goes on without the lease")
	}
}

// TestALeaseOfAKilledProcess is taken when nobody has renewed it for its duration.
func TestALeaseOfAKilledProcess(t *testing.T) {
	client := fake.NewSimpleDynamicClient(runtime.NewScheme())
	dead := Options{Client: client, Namespace: "n", Name: "l", Holder: "dead"}
	l, err := dead.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dead.write(t.Context(), l, "dead"); err != nil {
		t.Fatal(err)
	}
	began, waited := time.Now(), ""
	_, end, err := Hold(t.Context(), Options{Client: client, Namespace: "n", Name: "l", Holder: "b", Duration: time.Second, Waits: func(by string) { waited = by }})
	if err != nil || waited != "dead" || time.Since(began) < time.Second {
		t.Fatalf("it waited %s for %q, %v", time.Since(began), waited, err)
	}
	end()
	stored, err := client.Resource(leases).Namespace("n").Get(t.Context(), "l", metav1.GetOptions{})
	if err != nil || holder(stored) != "" {
		t.Errorf("after the end, the lease is %v, %v", stored, err)
	}
}
