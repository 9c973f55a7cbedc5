package reconciler

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/stratakube/strata/operator/provider"
)

// gains carries the namespaces that this process reconciles from now on.
type gains struct {
	metav1.PartialObjectMetadata
	is func(namespace string) bool
}

// Gain makes the process reconcile the objects in namespaces that it has got. It returns when the
// controller has taken the request, or ctx is done.
func (r *Reconciler) Gain(ctx context.Context, is func(namespace string) bool) {
	select {
	case r.gained <- event.GenericEvent{Object: &gains{is: is}}:
	case <-ctx.Done():
	}
}

// inNamespaces returns requests for the objects in namespaces that the process has got.
func (r *Reconciler) inNamespaces(ctx context.Context, object client.Object) []reconcile.Request {
	got, ok := object.(*gains)
	if !ok {
		return nil
	}
	all, err := r.names(ctx)
	if err != nil {
		log.FromContext(ctx).Error(err, "objects of namespaces that this process has got are not reconciled before the next resync")
		return nil
	}
	return slices.DeleteFunc(all, func(one reconcile.Request) bool { return !got.is(one.Namespace) })
}

// Forget removes what the process knows about the objects in namespaces that another process
// reconciles from now on. No pass over them may run.
func (r *Reconciler) Forget(is func(namespace string) bool) {
	for _, uid := range r.memory.forgetIn(is) {
		r.Claims.drop(uid)
	}
}

// unlessGone returns after, or zero if an object no longer exists, so that the process does not
// look for it again and again.
func (r *Reconciler) unlessGone(ctx context.Context, key client.ObjectKey, after time.Duration) time.Duration {
	if after == 0 {
		return 0
	}
	if err := r.Client.Get(ctx, key, r.blank(r.kind.Hub)); apierrors.IsNotFound(err) {
		r.Claims.drop(r.memory.forget(key))
		return 0
	}
	return after
}

// concur makes sure that no other process creates the resource for another object at the same
// time. Processes with a share do not see each other's Claims. etcd orders the claims in
// annotations, and the cache shows them in that order. When the cache shows the own claim, it
// shows all earlier ones. So of two objects, at least the one whose claim is the later sees the
// other.
//
// An object that sees an earlier claim yields. One whose claim precedes, by its time or its
// object, but was perhaps written later, waits until the other one has yielded or created the
// resource.
func (p *pass) concur(ctx context.Context) error {
	if p.Share == nil || p.seen.GetExists() {
		return nil
	}
	if !p.awaitsCache(ctx) {
		return &halt{reason: claiming, state: progressing, after: soon, message: "the claim is written, and the cache of the operator does not show it yet"}
	}
	other, err := p.rival(ctx)
	if err != nil || other != nil {
		return p.lost(other, err)
	}
	claims, err := p.claims(ctx)
	if err != nil {
		return err
	}
	for _, one := range claims {
		if one.object.GetNamespace() == p.key.Namespace || one.hasMade || isYielding(one.object) || !p.isRecent(p.recorded.Since, believed) {
			continue
		}
		if found, err := p.counts(ctx, one.kind, one.object); err != nil {
			return err
		} else if found != discounted {
			return &halt{reason: claiming, state: progressing, after: yielding, message: provider.Bounded(fmt.Sprintf(
				"%s has claimed %s at the same time; this object creates the resource when that one has yielded", elsewhere, p.aim.ID))}
		}
	}
	return nil
}

// showing is how long a pass waits until the cache shows its own write.
const showing = 5 * time.Second

// awaitsCache waits until the cache shows the last write to the object, and reports whether it
// does.
func (p *pass) awaitsCache(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, showing)
	defer cancel()
	for pause := time.Millisecond; ; pause *= 2 {
		object := p.blank(p.kind.Hub)
		if err := p.Client.Get(ctx, p.key, object); err == nil && !p.memory.isLate(p.key, object) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
}
