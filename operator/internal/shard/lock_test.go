package shard

import (
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

// TestReplicaNoticesAnotherHolder takes the Lease of a slot away from a replica, as another process
// does while this one pauses. It must end, also if the other process has released the Lease since.
func TestReplicaNoticesAnotherHolder(t *testing.T) {
	const lease = "operator-shard-3"
	for _, holder := range []string{"another", ""} {
		client := fake.NewClientset()
		var mu sync.Mutex
		conflicts := false // the next update of the Lease fails, since it has another resource version
		client.PrependReactor("update", "leases", func(action k8stesting.Action) (bool, runtime.Object, error) {
			mu.Lock()
			defer mu.Unlock()
			of := action.(k8stesting.UpdateAction).GetObject().(*coordinationv1.Lease)
			if of.Name != lease || !conflicts {
				return false, nil, nil
			}
			conflicts = false
			return true, nil, apierrors.NewConflict(coordinationv1.Resource("leases"), lease, errors.New("it was changed"))
		})
		s, err := New(Options{
			Name: "operator", Namespace: "system", Leases: client.CoordinationV1(), Log: slog.New(slog.DiscardHandler),
			Lease: 30 * time.Second, Renew: 20 * time.Second, Retry: 50 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- s.Start(t.Context()) }()
		for deadline := time.Now().Add(20 * time.Second); s.gate.opened() < Slots; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("the replica has %d slots", s.gate.opened())
			}
		}
		steal := func() {
			mu.Lock()
			defer mu.Unlock()
			at := coordinationv1.SchemeGroupVersion.WithResource("leases")
			object, err := client.Tracker().Get(at, "system", lease)
			if err != nil {
				t.Fatal(err)
			}
			stolen := object.(*coordinationv1.Lease).DeepCopy()
			stolen.Spec.HolderIdentity = &holder
			if err := client.Tracker().Update(at, stolen, "system"); err != nil {
				t.Fatal(err)
			}
			conflicts = true
		}
		steal()
		for deadline := time.After(10 * time.Second); ; {
			select {
			case err := <-ended:
				if !errors.Is(err, ErrLost) {
					t.Errorf("with the holder %q, it ends with %v, want %v", holder, err, ErrLost)
				}
			case <-time.After(time.Second): // an update of the replica may have been under way
				steal()
				continue
			case <-deadline:
				t.Errorf("with the holder %q, the replica goes on", holder)
			}
			break
		}
	}
}
