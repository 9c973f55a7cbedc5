package operator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	providerplugin "github.com/stratakube/strata/operator/plugin/provider"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/reconciler"
	"github.com/stratakube/strata/operator/resource"
)

// Run reconciles until ctx is done. Then it waits for running calls, stores their results,
// releases the lease, and stops the plugins, in this order. If ctx is done while the operator
// starts, Run returns no error.
func Run(ctx context.Context, options Options) error {
	options, err := options.orDefault()
	if err != nil {
		return fmt.Errorf("start the operator: %w", err)
	}
	defer stopPlugins(options)
	m, shards, err := build(ctx, options)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("start the operator: %w", err)
	}
	if err := shards.run(ctx, m); err != nil {
		return fmt.Errorf("run the operator: %w", err)
	}
	return nil
}

func stopPlugins(o Options) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	o.Host.Stop(ctx)
}

// build returns a manager with all controllers, and the share of this replica.
func build(ctx context.Context, o Options) (manager.Manager, *shards, error) {
	if err := corev1.AddToScheme(o.Scheme); err != nil {
		return nil, nil, err
	}
	kinds, err := resource.Read(o.Scheme)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := kinds.Select(o.Kinds...)
	if err != nil {
		return nil, nil, err
	}
	if err := known(kinds, o.ConcurrencyFor); err != nil {
		return nil, nil, err
	}
	if len(chosen) == 0 {
		return nil, nil, errors.New("the scheme has no kind that the external API knows")
	}
	if o.Providers, err = o.providers(ctx); err != nil {
		return nil, nil, err
	}
	ctrllog.SetLogger(logr.FromSlogHandler(o.Log.Handler()))
	m, err := newManager(o)
	if err != nil {
		return nil, nil, err
	}
	if err := observe(o, m); err != nil {
		return nil, nil, err
	}
	stored, err := newStored(ctx, o, m, kinds, chosen)
	if err != nil {
		return nil, nil, err
	}
	shards, err := newShards(ctx, o, m)
	if err != nil {
		return nil, nil, err
	}
	control := func(ctx context.Context) error { return control(ctx, o, m, kinds, chosen, stored, shards) }
	if err := stored.begin(ctx, control); err != nil {
		return nil, nil, err
	}
	return m, shards, errors.Join(addProbes(o, m), stored.addProbe())
}

// known returns an error for names that are not those of kinds.
func known(kinds *resource.Set, concurrency map[string]int) error {
	var wrong []error
	for name := range concurrency {
		if chosen, err := kinds.Select(name); err != nil || len(chosen) != 1 || resource.SelectorOf(chosen[0].Hub.GroupKind()) != name {
			wrong = append(wrong, fmt.Errorf("concurrency for %q: no kind is called so", name))
		}
	}
	return errors.Join(wrong...)
}

// providers returns the configured providers, or the only one of the host. Any other number
// without a configuration is an error.
func (o Options) providers(ctx context.Context) ([]provider.Entry, error) {
	if len(o.Providers) > 0 {
		return o.Providers, nil
	}
	rows, err := o.Host.List(ctx, providerplugin.Latest)
	if err != nil {
		return nil, fmt.Errorf("look for providers: %w", err)
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("there are %d provider plugins: say in a file of --providers which looks after which types", len(rows))
	}
	return []provider.Entry{{Name: rows[0].Name}}, nil
}

// shared returns what the options set for the reconcilers of all kinds.
func (o Options) shared() reconciler.Options {
	return reconciler.Options{
		Scheme: o.Scheme, RequireCredentials: o.RequireCredentials == nil || *o.RequireCredentials,
		Resync: o.Resync, Patience: o.Patience, Tolerance: o.Tolerance, Claims: &reconciler.Claims{},
	}
}

// control adds a controller for each chosen kind. It adds indexes also for related kinds.
func control(ctx context.Context, o Options, m manager.Manager, kinds *resource.Set, chosen []*resource.Kind, stored *stored, shards *shards) error {
	counts, err := provider.NewCounts(o.Registry)
	if err != nil {
		return err
	}
	found, err := reconciler.NewCounts(o.Registry)
	if err != nil {
		return err
	}
	c := m.GetClient()
	if o.WrapClient != nil {
		c = o.WrapClient(c)
	}
	shared := o.shared()
	shared.Share = shards.share()
	shared.Stopped, shared.Confirm = stored.check, stored.confirm
	if shared.Keys, err = o.claimKeys(ctx, m.GetAPIReader(), m.GetClient()); err != nil {
		return err
	}
	shared.Kinds, shared.Client, shared.Live, shared.Secrets, shared.Counts = kinds, c, m.GetAPIReader(), m.GetCache(), found
	shared.Providers = provider.Open(o.Host, o.Providers, provider.Options{Timeout: o.CallTimeout, Counts: counts})
	shared.Credentials = &provider.Credentials{Reader: m.GetAPIReader(), Host: o.Host}
	shared.Events = m.GetEventRecorder(leaseName)
	cached := relatives(kinds, chosen)
	shared.Cached = func(k *resource.Kind) bool { return cached[k] }
	for _, k := range kinds.All() {
		if cached[k] {
			if err := awaitServed(ctx, m.GetRESTMapper(), k.Hub, established); err != nil {
				return err
			}
			if err := reconciler.Index(ctx, m.GetFieldIndexer(), k); err != nil {
				return err
			}
		}
	}
	for _, k := range chosen {
		n := o.Concurrency
		if one, has := o.ConcurrencyFor[resource.SelectorOf(k.Hub.GroupKind())]; has {
			n = one
		}
		r := reconciler.New(k, shared)
		if err := r.Register(m, reconciler.Controlled{Concurrency: n, OnEachReplica: shards != nil}); err != nil {
			return err
		}
		shards.adds(ctx, r)
	}
	return nil
}

// established is how long the API server may take to serve a kind after its CRD was created. It
// is less than the time until a failed liveness probe ends the process.
const established = 15 * time.Second

// awaitServed waits until the API server serves a kind. After the time limit it returns the error
// of the last look, and any other error at once.
func awaitServed(ctx context.Context, by meta.RESTMapper, what schema.GroupVersionKind, within time.Duration) error {
	deadline := time.Now().Add(within)
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		_, err := by.RESTMapping(what.GroupKind(), what.Version)
		switch {
		case err == nil:
			return nil
		case !meta.IsNoMatchError(err):
			return fmt.Errorf("look for %s: %w", what, err)
		case time.Now().Add(pause).After(deadline):
			return fmt.Errorf("the API server does not serve %s: %w; hint: apply the CRDs first", what, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// relatives returns kinds with others of the same types, their children, and all their direct and
// indirect owners.
func relatives(kinds *resource.Set, chosen []*resource.Kind) map[*resource.Kind]bool {
	all := map[*resource.Kind]bool{}
	for _, k := range chosen {
		for _, child := range k.Children {
			all[kinds.Of(child)] = true
		}
		for _, twin := range kinds.OfType(k.Type) {
			all[twin] = true
		}
		for ; k != nil; k = kinds.Of(k.Parent) { // ends, since the type of each owner is shorter
			all[k] = true
		}
	}
	return all
}
