package hubs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/reconciler"
	"github.com/stratakube/strata/operator/resource"
)

// HubUnknown is the reason of a kind whose objects are stored in a version of a later release. The
// reason of one that is stored in a former hub is [reconciler.UpgradePending].
const HubUnknown = "HubUnknown"

// Definition is the kind of CRDs.
var Definition = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}

// Finding is why the operator does not reconcile a kind at present.
type Finding struct {
	Kind   *resource.Kind
	Reason string
	Stored string    // the version in which the cluster stores objects
	CRD    string    // the name of the CRD
	UID    types.UID // of the CRD
}

func (f *Finding) Error() string {
	if f.Reason == HubUnknown {
		return fmt.Sprintf("%s is stored in %s, which this operator does not know: deploy the operator of the release whose CRDs are installed", f.CRD, f.Stored)
	}
	return fmt.Sprintf("%s is stored in %s, and this operator stores %s: it waits until the CRD of its release is applied", f.CRD, f.Stored, f.Kind.Hub.Version)
}

// Options configure a Watch.
type Options struct {
	Reader client.Reader // reads from the API server
	Mapper meta.RESTMapper
	Scheme *k8sruntime.Scheme // has the types of the hub and of former hubs
	Kinds  []*resource.Kind
	Log    *slog.Logger
}

// Watch knows in which versions the cluster stores the objects of kinds. It is safe for concurrent
// use.
type Watch struct {
	Options

	mu       sync.Mutex
	known    map[*resource.Kind]*seen
	isDenied bool
}

// seen is the CRD of a kind at its last look. A CRD that is deleted and created anew can have the
// same generation, and another UID.
type seen struct {
	name       string
	uid        types.UID
	generation int64
	finding    *Finding // nil if the operator reconciles the kind
}

// New returns a Watch that has not looked yet.
func New(o Options) *Watch {
	return &Watch{Options: o, known: map[*resource.Kind]*seen{}}
}

// Look reads the CRDs that have changed. It ignores kinds that the API server does not have. A user
// without the right to read CRDs gets no findings.
func (w *Watch) Look(ctx context.Context) error {
	var errs []error
	for _, k := range w.Kinds {
		_, err := w.look(ctx, k, w.fromCache)
		switch {
		case apierrors.IsForbidden(err):
			w.denied(err)
		case err != nil && !apierrors.IsNotFound(err) && !meta.IsNoMatchError(err):
			errs = append(errs, fmt.Errorf("read the CRD of %s: %w", k.Hub.GroupKind(), err))
		}
	}
	return errors.Join(errs...)
}

// Confirm reads the CRD of a kind from etcd if it has changed. Its first result is that of Check in
// a cluster that is no older than the call.
func (w *Watch) Confirm(ctx context.Context, k *resource.Kind) (stopped, err error) {
	switch f, err := w.look(ctx, k, w.upToDate); {
	case apierrors.IsForbidden(err):
		w.denied(err)
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the CRD of %s: %w", k.Hub.GroupKind(), err)
	case f != nil:
		return f, nil
	}
	return nil, nil
}

// reading reads the metadata of a CRD into the object.
type reading func(ctx context.Context, name string, into *metav1.PartialObjectMetadata) error

// fromCache lets the API server answer from its cache, without a read of etcd.
func (w *Watch) fromCache(ctx context.Context, name string, into *metav1.PartialObjectMetadata) error {
	return w.Reader.Get(ctx, client.ObjectKey{Name: name}, into, &client.GetOptions{Raw: &metav1.GetOptions{ResourceVersion: "0"}})
}

// upToDate reads a list of one CRD. Since Kubernetes 1.31 the API server asks etcd only whether its
// cache is up to date before it answers, and waits up to 100 ms for that. For a single object it
// would read and decode the whole CRD, which can have a megabyte. A user without the right to list
// CRDs gets the single object.
func (w *Watch) upToDate(ctx context.Context, name string, into *metav1.PartialObjectMetadata) error {
	var all metav1.PartialObjectMetadataList
	all.SetGroupVersionKind(Definition)
	switch err := w.Reader.List(ctx, &all, client.MatchingFields{metav1.ObjectNameField: name}); {
	case apierrors.IsForbidden(err):
		return w.Reader.Get(ctx, client.ObjectKey{Name: name}, into)
	case err != nil:
		return err
	}
	for _, one := range all.Items {
		if one.Name == name {
			one.DeepCopyInto(into)
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Group: Definition.Group, Resource: "customresourcedefinitions"}, name)
}

// denied reports once that the operator cannot read CRDs.
func (w *Watch) denied(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.isDenied {
		w.Log.Warn("the operator may not read CRDs, and does not notice when their storage version changes", "error", err.Error())
	}
	w.isDenied = true
}

// look reads the CRD of a kind if it has changed, and returns its finding; nil if there is none.
func (w *Watch) look(ctx context.Context, k *resource.Kind, read reading) (*Finding, error) {
	last := w.last(k)
	if last.name == "" {
		mapping, err := w.Mapper.RESTMapping(k.Hub.GroupKind())
		if err != nil {
			return nil, err
		}
		last.name = mapping.Resource.Resource + "." + k.Hub.Group
	}
	brief := &metav1.PartialObjectMetadata{}
	brief.SetGroupVersionKind(Definition)
	switch err := read(ctx, last.name, brief); {
	case apierrors.IsNotFound(err):
		w.forget(k)
		return nil, nil
	case err != nil:
		return nil, err
	case brief.UID == last.uid && brief.Generation == last.generation:
		return last.finding, nil
	}
	whole := &unstructured.Unstructured{}
	whole.SetGroupVersionKind(Definition)
	if err := w.Reader.Get(ctx, client.ObjectKey{Name: last.name}, whole); err != nil {
		return nil, err
	}
	last.uid, last.generation, last.finding = whole.GetUID(), whole.GetGeneration(), w.judge(k, whole)
	w.remember(k, last)
	return last.finding, nil
}

// last returns what is known of a kind.
func (w *Watch) last(k *resource.Kind) seen {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.known[k]; s != nil {
		return *s
	}
	return seen{generation: -1}
}

// forget removes what is known of a kind whose CRD was deleted.
func (w *Watch) forget(k *resource.Kind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.known, k)
}

// remember stores what a look has found, and logs what has changed. A look that was answered before
// another one, and ends after it, changes nothing.
func (w *Watch) remember(k *resource.Kind, s seen) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.known[k]
	if before != nil && before.uid == s.uid && before.generation > s.generation {
		return
	}
	w.known[k] = &s
	switch {
	case s.finding != nil && (before == nil || before.finding == nil || before.finding.Stored != s.finding.Stored):
		w.Log.Warn(s.finding.Error(), "kind", k.Hub.GroupKind().String(), "reason", s.finding.Reason)
	case s.finding == nil && before != nil && before.finding != nil:
		w.Log.Info("the cluster stores the hub of this operator", "kind", k.Hub.GroupKind().String(), "version", k.Hub.Version)
	}
}

// judge returns why the operator does not reconcile the kind of a CRD; nil if it does.
func (w *Watch) judge(k *resource.Kind, crd *unstructured.Unstructured) *Finding {
	stored := storageVersion(crd)
	if stored == k.Hub.Version || stored == "" {
		return nil
	}
	f := &Finding{Kind: k, Reason: HubUnknown, Stored: stored, CRD: crd.GetName(), UID: crd.GetUID()}
	if w.Scheme.Recognizes(k.Hub.GroupKind().WithVersion(stored)) {
		f.Reason = reconciler.UpgradePending
	}
	return f
}

// storageVersion returns the version in which the API server stores objects of a CRD.
func storageVersion(crd *unstructured.Unstructured) string {
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, one := range versions {
		v, _ := one.(map[string]any)
		if is, _, _ := unstructured.NestedBool(v, "storage"); is {
			name, _, _ := unstructured.NestedString(v, "name")
			return name
		}
	}
	return ""
}

// Check returns the finding of a kind as an error; nil if there is none.
func (w *Watch) Check(k *resource.Kind) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.known[k]; s != nil && s.finding != nil {
		return s.finding
	}
	return nil
}

// Findings returns all findings, in the order of their CRDs.
func (w *Watch) Findings() (all []*Finding) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.known {
		if s.finding != nil {
			all = append(all, s.finding)
		}
	}
	slices.SortFunc(all, func(a, b *Finding) int { return cmp.Compare(a.CRD, b.CRD) })
	return all
}

// Err returns the first finding as an error; nil if there is none.
func (w *Watch) Err() error {
	if all := w.Findings(); len(all) > 0 {
		return all[0]
	}
	return nil
}

// Run looks again and again until ctx ends. An API server that does not answer changes nothing.
func (w *Watch) Run(ctx context.Context, every time.Duration) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if err := w.Look(ctx); err != nil && ctx.Err() == nil {
			w.Log.Warn("CRDs cannot be read", "error", err.Error())
		}
	}
}
