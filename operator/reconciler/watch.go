package reconciler

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/internal/packed"
	"github.com/stratakube/strata/operator/plugin/member"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/resource"
)

// Indexes of objects in the cache.
const (
	ByOwner  = "strata.dev/by-owner"
	BySecret = "strata.dev/by-secret"
	// ByConfigMap is BySecret for ConfigMaps.
	ByConfigMap = "strata.dev/by-config-map"
	// ByIdentity finds the objects with a claim to a resource; ByAncestor those whose resource is
	// below one.
	ByIdentity = "strata.dev/by-identity"
	ByAncestor = "strata.dev/by-ancestor"
)

// Indexes returns the indexes of a kind.
func Indexes(k *resource.Kind) map[string]client.IndexerFunc {
	return map[string]client.IndexerFunc{
		ByOwner: ofKind(k, owners), ByAncestor: shortened(ofKind(k, ancestors)),
		BySecret: secretNames, ByConfigMap: configMapNames, ByIdentity: shortened(identities),
	}
}

// shortened returns an index of the short keys of identifiers. A cache stores each key twice.
func shortened(of client.IndexerFunc) client.IndexerFunc {
	return func(object client.Object) []string {
		keys := of(object)
		for i, id := range keys {
			keys[i] = shortKey(id)
		}
		return keys
	}
}

// shortKey returns the key of an identifier in an index: 128 bits of its hash.
func shortKey(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:sha256.Size/2])
}

// ofKind returns an index of the objects of a kind.
func ofKind(k *resource.Kind, of func(*resource.Kind, client.Object) []string) client.IndexerFunc {
	return func(object client.Object) []string { return of(k, object) }
}

// Index adds the indexes of a kind to a cache.
func Index(ctx context.Context, to client.FieldIndexer, k *resource.Kind) error {
	for field, of := range Indexes(k) {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(k.Hub)
		if err := to.IndexField(ctx, object, field, of); err != nil {
			return fmt.Errorf("index %s: %w", k.Hub.Kind, err)
		}
	}
	return nil
}

func owners(k *resource.Kind, object client.Object) []string {
	u := packed.Of(object)
	if u == nil {
		return nil
	}
	if name, _ := ownerOf(k, u); name != "" {
		return []string{name}
	}
	return nil
}

// identities returns the index keys of the claim of an object.
func identities(object client.Object) []string {
	if m := annotation.Read(object); m.Owned {
		return m.Keys()
	}
	return nil
}

// ancestors returns the identifiers above the object's resource, whether or not that exists. They
// are those above the claimed resource, and the owner that its spec names by identifier with
// those above it.
func ancestors(k *resource.Kind, object client.Object) []string {
	m := annotation.Read(object)
	id := m.ID
	if id == "" {
		id = m.Target.ID
	}
	found := above(annotation.Key(id))
	if u := packed.Of(object); u != nil {
		_, id := ownerOf(k, u)
		if owner := annotation.Key(id); owner != "" {
			found = append(append(found, owner), above(owner)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// maxAbove is the maximum number of indexed identifiers above another one.
const maxAbove = 64

// above returns the prefixes of an identifier that end before a slash, the longest first.
func above(id string) (all []string) {
	for i := strings.LastIndexByte(id, '/'); i > 0 && len(all) < maxAbove; i = strings.LastIndexByte(id[:i], '/') {
		all = append(all, id[:i])
	}
	return all
}

// secretNames returns the Secrets whose values the object needs, and those with its outputs.
func secretNames(object client.Object) []string {
	u := packed.Of(object)
	if u == nil {
		return nil
	}
	names := []string{object.GetAnnotations()[annotation.Credentials]}
	if names[0] == "" {
		names[0] = provider.DefaultCredentials
	}
	for _, ref := range refsOf(u, member.SecretRefs) {
		names = append(names, ref.Name)
	}
	asked, _ := askedIn(u, true) // invalid outputs name none
	for _, k := range asked.Secrets {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// configMapNames returns the ConfigMaps whose values the object needs, and those with its
// outputs.
func configMapNames(object client.Object) (names []string) {
	u := packed.Of(object)
	if u == nil {
		return nil
	}
	for _, ref := range refsOf(u, member.ConfigMapRefs) {
		names = append(names, ref.Name)
	}
	asked, _ := askedIn(u, true)
	for _, k := range asked.ConfigMaps {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Controlled configures the controller of a kind.
type Controlled struct {
	// Concurrency is the number of objects of the kind that are reconciled at a time.
	Concurrency int
	// OnEachReplica runs the controller on each replica, and not only on the one that leads.
	OnEachReplica bool
}

// Register adds the reconciler's controller to a manager, whose cache must have the indexes of the
// kind.
func (r *Reconciler) Register(m manager.Manager, how Controlled) error {
	name := strings.ToLower(r.kind.Hub.Kind + "." + r.kind.Hub.Group)
	yes, always, leads := true, true, !how.OnEachReplica
	b := builder.ControllerManagedBy(m).Named(name).
		For(r.blank(r.kind.Hub), builder.WithPredicates(matters())).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: how.Concurrency, SkipNameValidation: &yes, EnableWarmup: &always, NeedLeaderElection: &leads, RateLimiter: r.retries(), NewQueue: newQueue,
		}).
		WatchesMetadata(metadataOf("Secret"), handler.EnqueueRequestsFromMapFunc(r.referrers), builder.WithPredicates(changes()))
	if parent := r.Kinds.Of(r.kind.Parent); parent != nil && r.Cached(parent) {
		b = b.Watches(r.blank(parent.Hub), handler.EnqueueRequestsFromMapFunc(r.children), builder.WithPredicates(made()))
	}
	if r.Share != nil {
		b = b.WatchesRawSource(source.Channel(r.gained, handler.EnqueueRequestsFromMapFunc(r.inNamespaces)))
	}
	for _, gk := range r.kind.Children {
		if child := r.Kinds.Of(gk); r.Cached(child) {
			b = b.Watches(r.blank(child.Hub), handler.EnqueueRequestsFromMapFunc(parentsOf(child)), builder.WithPredicates(gone()))
		}
	}
	c, err := b.Build(r)
	if err != nil {
		return fmt.Errorf("watch %s: %w", name, err)
	}
	r.configs.begin = func() error {
		return c.Watch(source.Kind(m.GetCache(), metadataOf("ConfigMap"), handler.EnqueueRequestsFromMapFunc(r.configReferrers)))
	}
	return nil
}

// newQueue returns the queue of a controller. It serves objects in the order in which they are
// due. With the priorities of controller-runtime, an object in a process' first list would wait
// while others keep the queue busy. The operator would not poll an operation while other objects
// are edited.
func newQueue(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{Name: name})
}

// retries returns the rate limiter for passes that could not report their end, for example
// because the API server accepts no status. Their pauses double up to the documented limit, too.
func (r *Reconciler) retries() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](firstRetry, min(longest, r.Resync))
}

// firstRetry is the first of these pauses.
const firstRetry = 5 * time.Millisecond

// lateWatch is a watch that begins when the first object needs it. Many operators do not need it,
// and may have no permission for it.
type lateWatch struct {
	once  sync.Once
	begin func() error // nil if nothing is watched
}

// watchConfigMaps starts the watch of ConfigMaps. Its first list contains earlier changes, which
// cause passes too.
func (p *pass) watchConfigMaps() {
	p.configs.once.Do(func() {
		if p.configs.begin == nil {
			return
		}
		if err := p.configs.begin(); err != nil {
			p.log.Error(err, "ConfigMaps are not watched: changes of them are seen at the next resync")
		}
	})
}

func metadataOf(kind string) client.Object {
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: kind}}
}

// matters accepts changes by users: of the spec, its version, policies, the claim to a resource
// that exists, and the deletion. It drops changes that the operator writes itself.
func matters() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld, e.ObjectNew
		return before.GetUID() != after.GetUID() ||
			before.GetGeneration() != after.GetGeneration() ||
			annotation.UserSettings(before) != annotation.UserSettings(after) ||
			isEdited(before, after) ||
			(before.GetDeletionTimestamp() == nil) != (after.GetDeletionTimestamp() == nil) ||
			original(before) != original(after) ||
			declaredIn(before) != declaredIn(after)
	}}
}

// isEdited reports whether another client has removed the claim of an object, or changed the
// identifier of its resource. Soon afterwards, only this process may know the claim, in its memory.
// The operator removes such an identifier only from a claim that stays, before the next create. It
// removes an unfinished claim only together with the finalizer.
func isEdited(before, after client.Object) bool {
	was, is := before.GetAnnotations(), after.GetAnnotations()
	if !annotation.HasClaim(before) {
		return false
	}
	if !annotation.HasClaim(after) {
		return was[annotation.ID] != "" || isKept(after)
	}
	id := is[annotation.ID]
	return was[annotation.ID] != "" && id != "" && annotation.Key(id) != annotation.Key(was[annotation.ID])
}

// declaredIn returns the version in which an object was declared, which can change without a new
// generation.
func declaredIn(object client.Object) string {
	if u := packed.Of(object); u != nil {
		version, _ := declared(u)
		return version
	}
	return ""
}

// original returns the version that the user wrote, which can change without a new generation.
func original(object client.Object) string {
	if u := packed.Of(object); u != nil {
		return text(u, "spec", member.OriginalVersion)
	}
	return ""
}

// made accepts parents whose identifier in the external API was set or has changed.
func made() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		DeleteFunc:  func(event.DeleteEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			id := annotation.Read(e.ObjectNew).ID
			return id != "" && id != annotation.Read(e.ObjectOld).ID
		},
	}
}

// gone accepts children that were removed.
func gone() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// changes accepts Secrets that were created or written after the watch began.
func changes() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool { return !e.IsInInitialList },
		UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.GetResourceVersion() != e.ObjectNew.GetResourceVersion()
		},
	}
}

// referrers returns requests for the objects that need a Secret.
func (r *Reconciler) referrers(ctx context.Context, secret client.Object) []reconcile.Request {
	return r.named(ctx, secret.GetNamespace(), client.MatchingFields{BySecret: secret.GetName()})
}

// configReferrers returns requests for the objects that need a ConfigMap.
func (r *Reconciler) configReferrers(ctx context.Context, config client.Object) []reconcile.Request {
	return r.named(ctx, config.GetNamespace(), client.MatchingFields{ByConfigMap: config.GetName()})
}

// children returns requests for the objects that name an owner.
func (r *Reconciler) children(ctx context.Context, owner client.Object) []reconcile.Request {
	return r.named(ctx, owner.GetNamespace(), client.MatchingFields{ByOwner: owner.GetName()})
}

func (r *Reconciler) named(ctx context.Context, namespace string, by client.MatchingFields) []reconcile.Request {
	all, err := r.names(ctx, client.InNamespace(namespace), by)
	if err != nil {
		return nil // the next resync finds it
	}
	return all
}

// names returns requests for the objects of the kind in the cache.
func (r *Reconciler) names(ctx context.Context, of ...client.ListOption) ([]reconcile.Request, error) {
	items, err := r.cached(ctx, r.kind, of)
	if err != nil {
		return nil, err
	}
	requests := make([]reconcile.Request, 0, len(items))
	for _, item := range items {
		if object, ok := item.(client.Object); ok {
			requests = append(requests, request(object))
		}
	}
	return requests, nil
}

func request(object client.Object) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}}
}

// parentsOf maps objects of a kind to their owners.
func parentsOf(k *resource.Kind) handler.MapFunc {
	return func(_ context.Context, child client.Object) []reconcile.Request {
		var requests []reconcile.Request
		for _, name := range owners(k, child) {
			requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: child.GetNamespace(), Name: name}})
		}
		return requests
	}
}
