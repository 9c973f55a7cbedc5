// Package lease lets one process at a time work on something, by a Lease in the cluster. The lease
// of a process that was killed ends when nobody has renewed it for its duration. Package cli calls
// it.
package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

var leases = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}

// ErrLost is the cause of a context that ends because another process may hold the lease.
var ErrLost = errors.New("the lease is lost: the API server has not answered in time, or another process has it")

// Options name a lease.
type Options struct {
	Client    dynamic.Interface
	Namespace string
	Name      string
	// Holder names this process.
	Holder   string
	Duration time.Duration
	// Waits gets the name of a process that has the lease.
	Waits func(holder string)
}

// Hold waits for the lease, and renews it. The context that it returns ends when the lease is lost.
// The function ends the lease.
func Hold(ctx context.Context, o Options) (leased context.Context, end func(), err error) {
	since, err := o.acquire(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("get the lease %s/%s: %w", o.Namespace, o.Name, err)
	}
	leased, cancel := context.WithCancelCause(ctx)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		o.renew(leased, since, stop, cancel)
	}()
	return leased, func() {
		close(stop)
		<-stopped
		cancel(nil)
		last, done := context.WithTimeout(context.WithoutCancel(ctx), o.Duration/3)
		defer done()
		if l, err := o.get(last); err == nil && holder(l) == o.Holder {
			_, _ = o.write(last, l, "")
		}
	}, nil
}

// acquire waits until nobody has renewed the lease of another process for its duration. It measures
// that time itself, because clocks of processes may differ. It returns a time before the write that
// has made this process the holder.
func (o *Options) acquire(ctx context.Context) (time.Time, error) {
	seen, since, reported := "", time.Now(), ""
	for {
		l, err := o.get(ctx)
		if err == nil {
			by := holder(l)
			if by == "" || by == o.Holder || seen == l.GetResourceVersion() && time.Since(since) > o.Duration {
				began := time.Now()
				if _, err = o.write(ctx, l, o.Holder); err == nil {
					return began, nil
				}
			} else if by != reported {
				reported = by
				o.Waits(by)
			}
			if seen != l.GetResourceVersion() {
				seen, since = l.GetResourceVersion(), time.Now()
			}
		}
		if err != nil && !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			return time.Time{}, err
		}
		select {
		case <-ctx.Done():
			return time.Time{}, context.Cause(ctx)
		case <-time.After(o.Duration / 5):
		}
	}
}

// renew renews the lease until stop. It cancels before the lease may have ended, also while a
// request waits for its answer. Since is the time of the last write.
func (o *Options) renew(ctx context.Context, since time.Time, stop <-chan struct{}, cancel context.CancelCauseFunc) {
	good := o.Duration * 2 / 3
	lost := time.AfterFunc(good-time.Since(since), func() { cancel(ErrLost) })
	defer lost.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ctx.Done():
			return
		case <-time.After(o.Duration / 5):
		}
		began := time.Now()
		request, done := context.WithTimeout(ctx, o.Duration/3)
		l, err := o.get(request)
		if err == nil && holder(l) != o.Holder {
			done()
			cancel(ErrLost)
			return
		}
		if err == nil {
			_, err = o.write(request, l, o.Holder)
		}
		done()
		if err == nil {
			lost.Reset(good - time.Since(began))
		}
	}
}

// get reads the lease, or returns a new one that is not stored.
func (o *Options) get(ctx context.Context) (*unstructured.Unstructured, error) {
	l, err := o.Client.Resource(leases).Namespace(o.Namespace).Get(ctx, o.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": map[string]any{"name": o.Name, "namespace": o.Namespace},
		}}, nil
	}
	return l, err
}

// write makes a process the holder. It fails if another one has written the lease since.
func (o *Options) write(ctx context.Context, l *unstructured.Unstructured, by string) (*unstructured.Unstructured, error) {
	l = l.DeepCopy()
	isNew := l.GetResourceVersion() == "" && l.Object["spec"] == nil
	l.Object["spec"] = map[string]any{
		"holderIdentity": by, "leaseDurationSeconds": max(1, int64(o.Duration.Seconds())),
		"renewTime": time.Now().UTC().Format("2006-01-02T15:04:05.000000Z07:00"),
	}
	c := o.Client.Resource(leases).Namespace(o.Namespace)
	if isNew {
		return c.Create(ctx, l, metav1.CreateOptions{})
	}
	return c.Update(ctx, l, metav1.UpdateOptions{})
}

func holder(l *unstructured.Unstructured) string {
	by, _, _ := unstructured.NestedString(l.Object, "spec", "holderIdentity")
	return by
}
