package reconciler

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/plugin/member"
)

// Wait is why the objects of a kind are not reconciled.
type Wait struct {
	Stored          schema.GroupVersionKind // in which the cluster stores them
	Reason, Message string
	Namespaces      []string // all if there are none
}

// waitPage is the number of objects that Write reads at a time.
const waitPage = 250

// Write writes the conditions of objects that wait, through the version that the cluster stores.
// Conditions have the same form in each version. It reads from the API server, and writes nothing
// that an object has already. It returns the number of writes.
func (w Wait) Write(ctx context.Context, live client.Reader, to client.Client) (written int, err error) {
	namespaces := w.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{metav1.NamespaceAll}
	}
	for _, namespace := range namespaces {
		n, err := w.in(ctx, live, to, namespace)
		written += n
		if err != nil {
			return written, fmt.Errorf("write conditions of %s: %w", w.Stored.GroupKind(), err)
		}
	}
	return written, nil
}

func (w Wait) in(ctx context.Context, live client.Reader, to client.Client, namespace string) (written int, err error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(w.Stored.GroupVersion().WithKind(w.Stored.Kind + "List"))
	for {
		options := []client.ListOption{client.InNamespace(namespace), client.Limit(waitPage), client.Continue(list.GetContinue())}
		if err := live.List(ctx, list, options...); err != nil {
			return written, err
		}
		for i := range list.Items {
			has, err := w.of(ctx, to, &list.Items[i])
			if err != nil {
				return written, err
			}
			if has {
				written++
			}
		}
		if list.GetContinue() == "" {
			return written, nil
		}
	}
}

// of writes the conditions of one object, and reports whether they differed. Another client that
// has written or deleted the object is not an error: the next call reads that.
func (w Wait) of(ctx context.Context, to client.Client, object *unstructured.Unstructured) (bool, error) {
	before := conditionsOf(object)
	all := slices.Clone(before)
	for _, c := range []metav1.Condition{{Type: Ready, Status: metav1.ConditionFalse}, {Type: Reconciling, Status: metav1.ConditionTrue}} {
		c.Reason, c.Message, c.ObservedGeneration = w.Reason, w.Message, object.GetGeneration()
		meta.SetStatusCondition(&all, c)
	}
	meta.RemoveStatusCondition(&all, Stalled)
	if slices.Equal(before, all) {
		return false, nil
	}
	list, err := elementsOf(all)
	if err != nil {
		return false, err
	}
	if err := unstructured.SetNestedField(object.Object, list, "status", member.Conditions); err != nil {
		return false, err
	}
	err = to.Status().Update(ctx, object, fieldOwner)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}
