package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	crm "github.com/stratakube/strata/operator/api/crm/v20190909/storage"
)

const (
	finalizer = "bare.example.com/external"
	claimed   = "bare.example.com/claim"
	external  = "bare.example.com/id"
	ready     = "Ready"
)

// again is how long a note waits for its person.
const again = time.Second

// reconciler makes the external resources of a kind. It does nothing about deletions.
type reconciler[T any, P object[T]] struct {
	client.Client
	kind   kind[T, P]
	api    *api
	events events.EventRecorder
}

// Reconcile makes the external resource of an object, in three writes as the operator does.
func (r *reconciler[T, P]) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	o := P(new(T))
	if err := r.Get(ctx, request.NamespacedName, o); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	id, err := r.id(ctx, o)
	if err != nil || id == "" {
		return ctrl.Result{RequeueAfter: again}, err
	}
	if c := meta.FindStatusCondition(r.kind.conditions(o), ready); c != nil && c.ObservedGeneration == o.GetGeneration() {
		_, err := r.api.call(ctx, http.MethodGet, id, r.kind.version, nil) // drift, which the operator looks for too
		return ctrl.Result{}, err
	}
	err = r.patch(ctx, o, func() {
		controllerutil.AddFinalizer(o, finalizer)
		annotate(o, claimed, string(o.GetUID()))
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	answer, err := r.apply(ctx, o, id)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.patch(ctx, o, func() { annotate(o, external, id) }); err != nil {
		return ctrl.Result{}, err
	}
	err = r.kind.observe(o, answer, []metav1.Condition{{
		Type: ready, Status: metav1.ConditionTrue, Reason: "Succeeded", Message: "the resource is as it should be",
		ObservedGeneration: o.GetGeneration(), LastTransitionTime: metav1.NewTime(time.Now().Truncate(time.Second)),
	}})
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Status().Update(ctx, o); err != nil {
		return ctrl.Result{}, fmt.Errorf("write status: %w", err)
	}
	r.events.Eventf(o, nil, corev1.EventTypeNormal, "Created", "Create", "the resource was created")
	return ctrl.Result{}, nil
}

// patch changes the metadata of an object, with a precondition on its version.
func (r *reconciler[T, P]) patch(ctx context.Context, o P, change func()) error {
	before := o.DeepCopyObject().(client.Object)
	change()
	if err := r.Patch(ctx, o, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("write metadata: %w", err)
	}
	return nil
}

func annotate(o client.Object, name, value string) {
	annotations := o.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[name] = value
	o.SetAnnotations(annotations)
}

// apply looks whether the resource exists, sends it, and returns what the external API has then.
func (r *reconciler[T, P]) apply(ctx context.Context, o P, id string) ([]byte, error) {
	if _, err := r.api.call(ctx, http.MethodGet, id, r.kind.version, nil); err != nil {
		return nil, err
	}
	body, err := json.Marshal(r.kind.body(o))
	if err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	if _, err := r.api.call(ctx, http.MethodPut, id, r.kind.version, body); err != nil {
		return nil, err
	}
	return r.api.call(ctx, http.MethodGet, id, r.kind.version, nil)
}

// id returns the identifier of the external resource; empty while that of its owner is missing.
func (r *reconciler[T, P]) id(ctx context.Context, o P) (string, error) {
	if r.kind.owner == nil {
		return r.api.parent + "/providers/Microsoft.Crm/" + r.kind.folder + "/" + o.GetName(), nil
	}
	of := new(crm.Person)
	if err := r.Get(ctx, client.ObjectKey{Namespace: o.GetNamespace(), Name: r.kind.owner(o)}, of); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	id := of.GetAnnotations()[external]
	if id == "" {
		return "", nil
	}
	return id + "/" + r.kind.folder + "/" + o.GetName(), nil
}
