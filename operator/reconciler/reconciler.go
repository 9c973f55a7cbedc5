package reconciler

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/resource"
)

// Options are shared by the reconcilers of all kinds.
type Options struct {
	// Scheme has the generated types.
	Scheme *k8sruntime.Scheme
	Kinds  *resource.Set
	// Client writes, and reads hubs as unstructured objects from a cache, which may be late.
	Client client.Client
	// Live reads from the API server: Secrets, ConfigMaps, and objects for which the cache may be
	// too late.
	Live client.Reader
	// Secrets reads the metadata of Secrets from a cache; nil if there is no cache.
	Secrets     client.Reader
	Providers   *provider.Providers
	Credentials *provider.Credentials
	// Events receives events about objects; nil for none.
	Events events.EventRecorder
	// Resync is the longest time between two passes over an object; ten minutes if it is zero.
	Resync time.Duration
	// Patience is the first pause after a failure; a second if it is zero.
	Patience time.Duration
	// Tolerance is how long an object stays Ready while the operator learns nothing about its
	// resource; a minute if it is zero.
	Tolerance time.Duration
	// Counts counts differences; nil counts nothing.
	Counts *Counts
	// RequireCredentials makes namespaced objects wait for a Secret with credentials, in place of
	// those of the provider.
	RequireCredentials bool
	// Claims has the claims of this process, which all its reconcilers share. If it is nil, the
	// reconciler has its own.
	Claims *Claims
	// Keys sign claims; nil if claims are not signed.
	Keys *annotation.Keys
	// Cached reports whether this process has a cache of a kind; nil if it has one of each.
	Cached func(*resource.Kind) bool
	// Stopped returns why objects of a kind must not be reconciled at present; nil if they may. If
	// Stopped is nil, all are reconciled.
	Stopped func(*resource.Kind) error
	// Confirm returns, as its first result, what Stopped returns in a cluster that is no older than
	// the call. It is called before a resource is created or changed. Nil confirms all.
	Confirm func(context.Context, *resource.Kind) (stopped, err error)
	// Share is the part of the objects that this process reconciles, where other processes reconcile
	// the rest at the same time. If it is nil, this process reconciles all objects.
	Share Share
	// Now is the clock; time.Now if it is nil.
	Now func() time.Time
}

// Share knows the objects of a process, by their namespaces.
type Share interface {
	// Begin begins a pass over an object in a namespace. The caller calls end after the pass. If end
	// is nil, the process must not reconcile the object now. It calls Begin again after retry, unless
	// that is zero.
	Begin(namespace string) (end func(), retry time.Duration)
}

// DefaultTolerance is the default of Tolerance.
const DefaultTolerance = time.Minute

// Reconciler reconciles the objects of one kind.
type Reconciler struct {
	Options
	kind     *resource.Kind
	holder   string // unique to this process and kind
	statuses provider.Statuses
	stores   stores
	memory   memory
	configs  lateWatch // of ConfigMaps
	gained   chan event.GenericEvent
}

// stores reads values and writes outputs.
type stores struct{ secrets, configMaps provider.Store }

// New returns the reconciler of a kind.
func New(k *resource.Kind, o Options) *Reconciler {
	if o.Resync <= 0 {
		o.Resync = 10 * time.Minute
	}
	if o.Patience <= 0 {
		o.Patience = time.Second
	}
	if o.Tolerance <= 0 {
		o.Tolerance = DefaultTolerance
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Claims == nil {
		o.Claims = &Claims{}
	}
	if o.Cached == nil {
		o.Cached = func(*resource.Kind) bool { return true }
	}
	if o.Stopped == nil {
		o.Stopped = func(*resource.Kind) error { return nil }
	}
	if o.Confirm == nil {
		o.Confirm = func(context.Context, *resource.Kind) (stopped, err error) { return nil, nil }
	}
	return &Reconciler{
		Options: o, kind: k, holder: string(uuid.NewUUID())[:8], gained: make(chan event.GenericEvent),
		statuses: provider.Statuses{Scheme: o.Scheme},
		stores: stores{
			secrets:    provider.Store{Of: provider.OfSecrets, Reader: o.Live, Writer: o.Client},
			configMaps: provider.Store{Of: provider.OfConfigMaps, Reader: o.Live, Writer: o.Client},
		},
	}
}

// phase is a step of a pass. If it returns nil, the next one follows. A [halt] ends the pass, and
// becomes its conditions. Any other error comes from the API server.
type phase func(*pass, context.Context) error

// phases lists the phases of each action.
var phases = map[action][]phase{
	managing:  {(*pass).convert, (*pass).locate, (*pass).equip, (*pass).identify, (*pass).checkParent, (*pass).contest, (*pass).resume, (*pass).look, (*pass).confirmKind, (*pass).revoke, (*pass).claim, (*pass).concur, (*pass).apply, (*pass).provisioned, (*pass).share},
	observing: {(*pass).convert, (*pass).locate, (*pass).equip, (*pass).seek, (*pass).look, (*pass).rememberObserved, (*pass).share},
	deleting: {
		(*pass).outlive, (*pass).convertForDelete, (*pass).locateForDelete, (*pass).equipForDelete,
		unlessLeft((*pass).identifyToDelete), unlessLeft((*pass).yield), unlessLeft((*pass).end), unlessLeft((*pass).remove), (*pass).release,
	},
	detaching: {(*pass).release},
	left:      {},
}

// Reconcile makes one pass over an object, unless another process reconciles it, or its kind is
// stopped. Then it neither calls the external API nor writes.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	if r.Share != nil {
		end, retry := r.Share.Begin(request.Namespace)
		if end == nil {
			return reconcile.Result{RequeueAfter: r.unlessGone(ctx, request.NamespacedName, retry)}, nil
		}
		defer end()
	}
	if r.Stopped(r.kind) != nil {
		return reconcile.Result{RequeueAfter: whileStopped + provider.Jitter(whileStopped)}, nil
	}
	object, err := r.read(ctx, request.NamespacedName)
	if err != nil {
		return reconcile.Result{}, err
	}
	if object == nil {
		r.Claims.drop(r.memory.forget(request.NamespacedName))
		return reconcile.Result{}, nil
	}
	p := r.newPass(request.NamespacedName, object, log.FromContext(ctx))
	action, stopped := p.action()
	if action == left {
		return reconcile.Result{}, nil
	}
	if err := p.heal(ctx); err != nil {
		stopped = err
	}
	for _, phase := range phases[action] {
		if stopped != nil {
			break
		}
		stopped = phase(p, ctx)
	}
	p.Claims.close(p.object.GetUID(), (p.recorded.Owned || p.isUnsure) && !errors.Is(stopped, errReleased))
	if errors.Is(stopped, errStopped) {
		return reconcile.Result{RequeueAfter: whileStopped + provider.Jitter(whileStopped)}, nil
	}
	return r.result(p.endPass(ctx, action, stopped))
}

// unlessLeft skips a phase if the resource is to remain in the external API.
func unlessLeft(do phase) phase {
	return func(p *pass, ctx context.Context) error {
		if p.left != "" {
			return nil
		}
		return do(p, ctx)
	}
}

// result returns no error for a conflict: another client has written the object, and the next pass
// reads that. What was not found can be the object itself, or a Secret that another client removed
// during a write. The next pass reads which of them it was, and ends at once without the object.
func (r *Reconciler) result(after time.Duration, err error) (reconcile.Result, error) {
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return reconcile.Result{RequeueAfter: soon + provider.Jitter(soon)}, nil
	case errors.Is(err, errReleased):
		return reconcile.Result{}, nil
	}
	return reconcile.Result{RequeueAfter: after}, err
}

// whileStopped is the pause between two looks at whether a kind is still stopped.
const whileStopped = 10 * time.Second

// soon is the pause before the next pass after a conflict, in which the cache can receive the
// other write.
const soon = 100 * time.Millisecond

// action selects the phases of a pass.
type action string

const (
	managing  action = "manage"
	observing action = "observe"
	deleting  action = "delete"
	detaching action = "detach"
	left      action = "leave"
)

// action returns the action that the policy and the deletion of the object require. An unknown
// policy halts, since neither applying nor deleting would be safe.
func (p *pass) action() (action, error) {
	policy, err := annotation.PolicyOf(p.object)
	isEnding, isKept := p.object.GetDeletionTimestamp() != nil, isKept(p.object)
	switch {
	case isEnding && !isKept:
		return left, nil
	case err != nil:
		return observing, &halt{reason: "PolicyUnknown", message: err.Error(), state: stalled}
	case isEnding && (policy != annotation.Manage || !p.recorded.Owned):
		return detaching, nil
	case isEnding:
		return deleting, nil
	case policy == annotation.Observe:
		return observing, nil
	default:
		return managing, nil
	}
}
