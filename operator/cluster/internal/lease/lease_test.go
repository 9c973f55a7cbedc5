package lease

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
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
	leased, endOfB, err := Hold(t.Context(), options("b", func(holder string) {
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
	case <-leased.Done():
		if !errors.Is(context.Cause(leased), ErrLost) {
			t.Errorf("the cause is %v", context.Cause(leased))
		}
	case <-time.After(10 * time.Second):
		t.Error("the process goes on without the lease")
	}
}

// TestLeaseOfKilledProcess is taken when nobody has renewed it for its duration.
func TestLeaseOfKilledProcess(t *testing.T) {
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

// TestSilentAPIServer ends the work of a process before another process can take its lease. The
// API server answers no request to a lease, as behind a network that drops packets.
func TestSilentAPIServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const duration = 15 * time.Second
		client := &silent{Interface: fake.NewSimpleDynamicClient(runtime.NewScheme())}
		leased, end, err := Hold(t.Context(), Options{Client: client, Namespace: "n", Name: "l", Holder: "a", Duration: duration})
		if err != nil {
			t.Fatal(err)
		}
		renewed := time.Now()
		client.on.Store(true)
		<-leased.Done()
		if took := time.Since(renewed); took > duration*3/4 || !errors.Is(context.Cause(leased), ErrLost) {
			t.Errorf("it worked for %s after it had renewed a lease of %s, and ended with %v", took, duration, context.Cause(leased))
		}
		client.on.Store(false)
		end()
	})
}

// silent is a client whose API server can be silent.
type silent struct {
	dynamic.Interface
	on atomic.Bool
}

func (s *silent) Resource(of schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return silentResource{s.Interface.Resource(of), s}
}

type silentResource struct {
	dynamic.NamespaceableResourceInterface
	of *silent
}

func (r silentResource) Namespace(name string) dynamic.ResourceInterface {
	return silentNamespace{r.NamespaceableResourceInterface.Namespace(name), r.of}
}

type silentNamespace struct {
	dynamic.ResourceInterface
	of *silent
}

func (r silentNamespace) Get(ctx context.Context, name string, o metav1.GetOptions, sub ...string) (*unstructured.Unstructured, error) {
	if r.of.on.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return r.ResourceInterface.Get(ctx, name, o, sub...)
}
