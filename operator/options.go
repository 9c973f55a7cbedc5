package operator

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/runtime"
)

// Options say what is reconciled, and how. Config, Scheme and Host must be given.
type Options struct {
	// Config reaches the API server.
	Config *rest.Config
	// Scheme holds the generated types. Run adds to it what it needs of Kubernetes itself.
	Scheme *k8sruntime.Scheme
	// Host has the plugins. Run stops them at its end.
	Host *host.Host
	// Providers say which plugin looks after which types. Where there are none, the only provider
	// of the host does for all.
	Providers []provider.Entry

	// Kinds are selectors, as group or group/Kind; all kinds of the scheme where there are none.
	Kinds []string
	// Namespaces are those whose objects are reconciled; all where there are none.
	Namespaces []string

	// RequireCredentials has objects of namespaces wait for a Secret with credentials, in place of
	// the provider's own. Where it is nil, they are required if several namespaces are served.
	RequireCredentials *bool

	// LeaderElection has one of several replicas reconcile.
	LeaderElection Election

	// Concurrency is how many objects of a kind are reconciled at a time; 4 where it is zero.
	Concurrency int
	// ConcurrencyFor is that of single kinds, by group/Kind.
	ConcurrencyFor map[string]int
	// Resync is how often a resource is observed if nothing happens; ten minutes where it is zero.
	Resync time.Duration
	// Patience is the first pause after a failure; a second where it is zero.
	Patience time.Duration
	// Tolerance is how long an object stays Ready while nothing can be learned of its resource; a
	// minute where it is zero.
	Tolerance time.Duration
	// CallTimeout is that of one call of a provider; a minute where it is zero.
	CallTimeout time.Duration

	// MetricsAddress and ProbeAddress are where metrics and probes are served; empty for nowhere.
	MetricsAddress, ProbeAddress string
	// Conversions serves the conversion webhook, too; nil for not.
	Conversions *Conversions

	// Log takes messages; nil for none.
	Log *slog.Logger
	// Registry counts; controller-runtime's where it is nil, which is what is served.
	Registry prometheus.Registerer
	// Observer receives what conversions recovered from; if it is nil, Log and Registry do.
	Observer runtime.Observer
	// WrapClient, if it is given, stands between the reconcilers and the API server. For tests.
	WrapClient func(client.Client) client.Client
}

// Election is how replicas agree.
type Election struct {
	On        bool
	Namespace string // where the lease is; the pod's where it is empty
	ID        string // the name of the lease; strata-operator where it is empty
	// Lease, Renew and Retry are those of client-go; its defaults of 15, 10 and 2 seconds where
	// they are zero.
	Lease, Renew, Retry time.Duration
}

// Conversions is where the conversion webhook is served, and with what certificate.
type Conversions struct{ Address, CertFile, KeyFile string }

// leaseName is that of the lease.
const leaseName = "strata-operator"

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
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Registry == nil {
		o.Registry = ctrlmetrics.Registry
	}
	return o, errors.Join(wrong...)
}
