package lease

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"
	coretesting "k8s.io/client-go/testing"
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

// TestWaitingProcessThatPauses has a process that waits for a lease, and that stops for a long time
// whenever it has asked for the lease. The holder renews the lease meanwhile, and keeps it.
func TestWaitingProcessThatPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const duration = 15 * time.Second
		of := &server{}
		leased, end, err := Hold(t.Context(), Options{Client: of.client(nil), Namespace: "n", Name: "l", Holder: "a", Duration: duration})
		if err != nil {
			t.Fatal(err)
		}
		pauses := 0
		waiting, stop := context.WithTimeout(t.Context(), 20*duration)
		defer stop()
		_, _, err = Hold(waiting, Options{Namespace: "n", Name: "l", Holder: "b", Duration: duration, Waits: func(string) {}, Client: of.client(func(string) {
			pauses++
			time.Sleep(3 * duration)
		})})
		if !errors.Is(err, context.DeadlineExceeded) || leased.Err() != nil || pauses < 3 {
			t.Errorf("after %d pauses, the waiting process ended with %v, and the holder with %v", pauses, err, context.Cause(leased))
		}
		end()
	})
}

// TestProcessThatPausesBeforeItTakesLease has a process that finds the lease of a killed process,
// and stops before it writes. Another process takes the lease meanwhile, and keeps it.
func TestProcessThatPausesBeforeItTakesLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const duration = 15 * time.Second
		of := &server{}
		options := Options{Client: of.client(nil), Namespace: "n", Name: "l", Holder: "c", Duration: duration, Waits: func(string) {}}
		l, err := options.get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := options.write(t.Context(), l, "dead"); err != nil {
			t.Fatal(err)
		}
		var leased context.Context
		var end func()
		waiting, stop := context.WithTimeout(t.Context(), 20*duration)
		defer stop()
		_, _, err = Hold(waiting, Options{Namespace: "n", Name: "l", Holder: "b", Duration: duration, Waits: func(string) {}, Client: of.client(func(verb string) {
			if verb != "update" || end != nil {
				return
			}
			var err error
			if leased, end, err = Hold(t.Context(), options); err != nil {
				t.Fatal(err)
			}
		})})
		if end == nil {
			t.Fatalf("the waiting process never wrote, and ended with %v", err)
		}
		if !errors.Is(err, context.DeadlineExceeded) || leased.Err() != nil {
			t.Errorf("the waiting process ended with %v, and the holder with %v", err, context.Cause(leased))
		}
		end()
	})
}

// server stores one lease, as an API server does: a write of an old resource version is a conflict.
type server struct {
	sync.Mutex
	lease   *unstructured.Unstructured
	version int
}

// client returns a client of the server, whose process can pause: before the server stores what it
// writes, and after the server has answered what it reads.
func (s *server) client(pause func(verb string)) dynamic.Interface {
	c := fake.NewSimpleDynamicClient(runtime.NewScheme())
	c.PrependReactor("*", "leases", func(a coretesting.Action) (bool, runtime.Object, error) {
		if pause != nil && a.GetVerb() != "get" {
			pause(a.GetVerb())
		}
		out, err := s.answer(a)
		if pause != nil && a.GetVerb() == "get" {
			pause("get")
		}
		return true, out, err
	})
	return c
}

func (s *server) answer(a coretesting.Action) (*unstructured.Unstructured, error) {
	s.Lock()
	defer s.Unlock()
	if a.GetVerb() == "get" {
		if s.lease == nil {
			return nil, apierrors.NewNotFound(leases.GroupResource(), "l")
		}
		return s.lease.DeepCopy(), nil
	}
	sent := a.(coretesting.CreateAction).GetObject().(*unstructured.Unstructured).DeepCopy()
	switch {
	case a.GetVerb() == "create" && s.lease != nil:
		return nil, apierrors.NewAlreadyExists(leases.GroupResource(), "l")
	case a.GetVerb() == "update" && sent.GetResourceVersion() != s.lease.GetResourceVersion():
		return nil, apierrors.NewConflict(leases.GroupResource(), "l", errors.New("the object has been modified"))
	}
	s.version++
	sent.SetResourceVersion(strconv.Itoa(s.version))
	s.lease = sent
	return sent.DeepCopy(), nil
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
