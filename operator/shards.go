package operator

import (
	"cmp"
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/stratakube/strata/operator/internal/shard"
	"github.com/stratakube/strata/operator/reconciler"
)

// shards are the namespaces of a replica that shares them with others. A nil shards has all
// namespaces.
type shards struct {
	*shard.Shards
	// lost receives the error of a replica that must end at once, without waiting for calls.
	lost chan error
}

// newShards adds the share of this replica to a manager; nil if the options require none.
func newShards(ctx context.Context, o Options, m manager.Manager) (*shards, error) {
	if !o.ShardNamespaces {
		return nil, nil
	}
	e := o.LeaderElection
	in := cmp.Or(e.Namespace, podNamespace())
	if in == "" {
		return nil, errors.New("there is no namespace for the leases of shards; hint: --leader-election-namespace=NAMESPACE")
	}
	config := rest.CopyConfig(m.GetConfig())
	config.Timeout = e.Renew / 2 // so that one request that hangs loses no lease
	leases, err := coordination.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	s := &shards{lost: make(chan error, 1)}
	if s.Shards, err = shard.New(shard.Options{
		Leases: leases, Namespace: in, Name: e.ID, Lease: e.Lease, Renew: e.Renew, Retry: e.Retry,
		Pause: o.CallTimeout + e.Lease, Log: o.Log, Registry: o.Registry,
	}); err != nil {
		return nil, err
	}
	informer, err := m.GetCache().GetInformer(ctx, namespaceMetadata())
	if err != nil {
		return nil, err
	}
	if _, err := informer.AddEventHandler(s.Namespaces()); err != nil {
		return nil, err
	}
	return s, m.Add(everywhere(s.start))
}

// start runs the share of this replica.
func (s *shards) start(ctx context.Context) error {
	err := s.Start(ctx)
	if errors.Is(err, shard.ErrLost) {
		s.lost <- err
	}
	return err
}

// share returns the share for reconcilers.
func (s *shards) share() reconciler.Share {
	if s == nil {
		return nil
	}
	return s
}

// adds makes a reconciler follow the namespaces that this replica gets and gives up.
func (s *shards) adds(ctx context.Context, r *reconciler.Reconciler) {
	if s == nil {
		return
	}
	s.OnChange(func(is func(string) bool) { go r.Gain(ctx, is) }, r.Forget)
}

// run runs a manager until it ends. A replica that has lost a lease does not wait for calls in
// progress, which is what managers do that lose the lease of a leader.
func (s *shards) run(ctx context.Context, m manager.Manager) error {
	if s == nil {
		return m.Start(ctx)
	}
	ended := make(chan error, 1)
	go func() { ended <- m.Start(ctx) }()
	select {
	case err := <-ended:
		return err
	case err := <-s.lost:
		return err
	}
}

// namespaceMetadata returns the type of namespaces in the cache.
func namespaceMetadata() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}}
}

// slimNamespace removes from a cached namespace all but its name and the label of shards.
func slimNamespace(object any) (any, error) {
	if o, ok := object.(*metav1.PartialObjectMetadata); ok {
		o.ManagedFields, o.Annotations = nil, nil
		key, is := o.Labels[shard.Label]
		if o.Labels = nil; is {
			o.Labels = map[string]string{shard.Label: key}
		}
	}
	return object, nil
}
