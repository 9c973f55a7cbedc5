package operator

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/runtime"
)

// Options configure an operator. Config, Scheme and Host are required.
type Options struct {
	// Config is the configuration of clients of the API server.
	Config *rest.Config
	// Scheme has the generated types. Run adds the types of Kubernetes that it needs.
	Scheme *k8sruntime.Scheme
	// Host runs the plugins. Run stops them at its end.
	Host *host.Host
	// Providers assign types to plugins. If there are none, the only provider of the host serves
	// all types.
	Providers []provider.Entry

	// Kinds are selectors in the form group or group/Kind. If there are none, all kinds of the
	// scheme are reconciled.
	Kinds []string
	// Namespaces are the namespaces whose objects are reconciled; all if there are none.
	Namespaces []string

	// RequireCredentials makes namespaced objects wait for a Secret with credentials, in place of
	// the provider's own. If it is nil, they wait if several namespaces are served.
	RequireCredentials *bool

	// ClaimKey is the Secret with the keys that sign claims. If it is empty, it is
	// strata-operator-claim-key in the namespace of the lease, or of the pod; without one, claims
	// are not signed. The name off without a namespace leaves them unsigned.
	ClaimKey types.NamespacedName

	// LeaderElection makes only one of several replicas reconcile.
	LeaderElection Election
	// ShardNamespaces makes all replicas reconcile, each the objects of a part of the namespaces. A
	// namespace belongs to a part by the value of its label strata.dev/shard, or by its name. The
	// replicas share the parts by Leases in the namespace of LeaderElection, with the same times. It
	// implies LeaderElection.On: the replica that leads writes conditions of kinds that wait.
	ShardNamespaces bool

	// Concurrency is the number of objects of a kind that are reconciled at a time; 4 if it is
	// zero.
	Concurrency int
	// ConcurrencyFor overrides Concurrency for single kinds, by group/Kind.
	ConcurrencyFor map[string]int
	// Resync is the longest time between two observations of a resource; ten minutes if it is
	// zero.
	Resync time.Duration
	// Patience is the first pause after a failure; a second if it is zero.
	Patience time.Duration
	// Tolerance is how long an object stays Ready while the operator learns nothing about its
	// resource; a minute if it is zero.
	Tolerance time.Duration
	// CallTimeout limits one call of a provider; a minute if it is zero.
	CallTimeout time.Duration

	// MetricsAddress and ProbeAddress are the addresses of metrics and probes; empty to serve
	// none.
	MetricsAddress, ProbeAddress string
	// Conversions also serves the conversion webhook; nil to serve none.
	Conversions *Conversions

	// Log receives messages; nil for none.
	Log *slog.Logger
	// Registry registers the metrics. If it is nil, they go to the registry of
	// controller-runtime, which MetricsAddress serves.
	Registry prometheus.Registerer
	// Observer receives the problems that conversions recover from. If it is nil, Log and
	// Registry receive them.
	Observer runtime.Observer
	// WrapClient wraps the client of the reconcilers, for tests. It may be nil.
	WrapClient func(client.Client) client.Client
}

// Election configures the leader election of replicas.
type Election struct {
	On        bool
	Namespace string // of the lease; that of the pod if it is empty
	ID        string // the name of the lease; strata-operator if it is empty
	// Lease, Renew and Retry are those of client-go. Zero means its defaults of 15, 10 and 2
	// seconds.
	Lease, Renew, Retry time.Duration
}

// Conversions has the address and the certificate of the conversion webhook.
type Conversions struct{ Address, CertFile, KeyFile string }

// leaseName is the default name of the lease.
const leaseName = "strata-operator"

// Defaults of Election, those of client-go.
const (
	defaultLease = 15 * time.Second
	defaultRenew = 10 * time.Second
	defaultRetry = 2 * time.Second
)

func (o Options) orDefault() (Options, error) {
	var wrong []error
	if o.Config == nil {
		wrong = append(wrong, errors.New("there is no configuration for the API server"))
	}
	if o.Scheme == nil {
		wrong = append(wrong, errors.New("there is no scheme"))
	}
	if o.Host == nil {
		wrong = append(wrong, errors.New("there is no host of plugins"))
	}
	if o.Concurrency < 0 || o.Resync < 0 || o.Patience < 0 || o.CallTimeout < 0 || o.Tolerance < 0 {
		wrong = append(wrong, errors.New("concurrency and durations are not below zero"))
	}
	for name, n := range o.ConcurrencyFor {
		if n < 1 {
			wrong = append(wrong, fmt.Errorf("the concurrency for %s is %d, and at least 1", name, n))
		}
	}
	if o.RequireCredentials == nil {
		several := len(o.Namespaces) != 1
		o.RequireCredentials = &several
	}
	if o.Concurrency == 0 {
		o.Concurrency = 4
	}
	if o.CallTimeout == 0 {
		o.CallTimeout = time.Minute
	}
	if o.LeaderElection.ID == "" {
		o.LeaderElection.ID = leaseName
	}
	if e := &o.LeaderElection; o.ShardNamespaces {
		e.On = true
		e.Lease, e.Renew, e.Retry = cmp.Or(e.Lease, defaultLease), cmp.Or(e.Renew, defaultRenew), cmp.Or(e.Retry, defaultRetry)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Registry == nil {
		o.Registry = ctrlmetrics.Registry
	}
	return o, errors.Join(wrong...)
}
