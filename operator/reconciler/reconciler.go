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
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/resource"
)

// Options are what reconcilers of all kinds share.
type Options struct {
	// Scheme holds the generated types.
	Scheme *k8sruntime.Scheme
	Kinds  *resource.Set
	// Client reads hubs, as unstructured objects, from a cache that may be late, and writes.
	Client client.Client
	// Live reads from the API server: Secrets, ConfigMaps, and objects where the cache may be too
	// late.
	Live client.Reader
	// Secrets reads the metadata of Secrets from a cache; nil where there is none.
	Secrets     client.Reader
	Providers   *provider.Providers
	Credentials *provider.Credentials
	// Events receives events about objects; nil for none.
	Events events.EventRecorder
	// Resync is how often an object is looked at where nothing happens; ten minutes where it is
	// zero.
	Resync time.Duration
	// Patience is how long the first pause after a failure is; a second where it is zero.
	Patience time.Duration
	// Tolerance is how long an object stays Ready while nothing can be learned of its resource; a
	// minute where it is zero.
	Tolerance time.Duration
	// Counts counts what happens; nil for nothing.
	Counts *Counts
	// RequireCredentials has objects of namespaces wait for a Secret with credentials, in place of
	// those of the provider.
	RequireCredentials bool
	// Claims are the claims that this process has made; reconcilers of one process share them. Its
	// own where it is nil.
	Claims *Claims
	// Cached reports whether this process has a cache of a kind; nil where it has one of each.
	Cached func(*resource.Kind) bool
	// Now is the clock; time.Now where it is nil.
	Now func() time.Time
}

// DefaultTolerance is the tolerance where none is given.
const DefaultTolerance = time.Minute

// Reconciler reconciles the objects of one kind.
type Reconciler struct {
	Options
	kind     *resource.Kind
	holder   string // that no other process has
	statuses provider.Statuses
	stores   stores
	memory   memory
	configs  lateWatch // of ConfigMaps
}

// stores are where values come from and go to.
type stores struct{ secrets, configMaps provider.Store }

// New makes the reconciler of a kind.
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
	return &Reconciler{
		Options: o, kind: k, holder: string(uuid.NewUUID())[:8],
		statuses: provider.Statuses{Scheme: o.Scheme},
		stores: stores{
			secrets:    provider.Store{Of: provider.OfSecrets, Reader: o.Live, Writer: o.Client},
			configMaps: provider.Store{Of: provider.OfConfigMaps, Reader: o.Live, Writer: o.Client},
		},
	}
}

// phase is a part of a pass. Nil goes on with the next one; a [halt] ends the pass, and becomes its
// conditions; any other error is one of the API server.
type phase func(*pass, context.Context) error

// phases are what happens to an object, by action.
var phases = map[action][]phase{
	managing:  {(*pass).convert, (*pass).locate, (*pass).equip, (*pass).identify, (*pass).checkParent, (*pass).contest, (*pass).resume, (*pass).look, (*pass).revoke, (*pass).claim, (*pass).apply, (*pass).provisioned, (*pass).share},
	observing: {(*pass).convert, (*pass).locate, (*pass).equip, (*pass).seek, (*pass).look, (*pass).rememberObserved, (*pass).share},
	deleting: {
		(*pass).outlive, (*pass).convertForDelete, (*pass).locateForDelete, (*pass).equipForDelete,
		unlessLeft((*pass).identifyToDelete), unlessLeft((*pass).yield), unlessLeft((*pass).end), unlessLeft((*pass).remove), (*pass).release,
	},
	detaching: {(*pass).release},
	left:      {},
}

// Reconcile makes one pass over an object.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
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
	p.Claims.close(p.object.GetUID(), (p.marks.Owned || p.isUnsure) && !errors.Is(stopped, errReleased))
	return r.result(p.endPass(ctx, action, stopped))
}

// unlessLeft leaves out a phase where the resource is left alone.
func unlessLeft(do phase) phase {
	return func(p *pass, ctx context.Context) error {
		if p.left != "" {
			return nil
		}
		return do(p, ctx)
	}
}

// result keeps quiet about conflicts: another client wrote the object, and the next pass sees what.
func (r *Reconciler) result(after time.Duration, err error) (reconcile.Result, error) {
	switch {
	case apierrors.IsConflict(err):
		return reconcile.Result{RequeueAfter: soon + provider.Jitter(soon)}, nil
	case apierrors.IsNotFound(err), errors.Is(err, errReleased):
		return reconcile.Result{}, nil
	}
	return reconcile.Result{RequeueAfter: after}, err
}

// soon is when a pass is made again that came too late, and the cache can have seen why.
const soon = 100 * time.Millisecond

// action is what a pass does with an object.
type action string

const (
	managing  action = "manage"
	observing action = "observe"
	deleting  action = "delete"
	detaching action = "detach"
	left      action = "leave"
)

// action reads what the user wants. A policy that is not known halts: neither applying nor deleting
// is safe then.
func (p *pass) action() (action, error) {
	policy, err := annotation.PolicyOf(p.object)
	isEnding, isKept := p.object.GetDeletionTimestamp() != nil, isKept(p.object)
	switch {
	case isEnding && !isKept:
		return left, nil
	case err != nil:
		return observing, &halt{reason: "PolicyUnknown", message: err.Error(), state: stalled}
	case isEnding && (policy != annotation.Manage || !p.marks.Owned):
		return detaching, nil
	case isEnding:
		return deleting, nil
	case policy == annotation.Observe:
		return observing, nil
	default:
		return managing, nil
	}
}
