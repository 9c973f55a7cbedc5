package operator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/stratakube/strata/operator/internal/packed"
	"github.com/stratakube/strata/operator/reconciler"
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/telemetry"
)

// nowhere is the address by which controller-runtime disables a server.
const nowhere = "0"

// grace is how much longer than one call the shutdown may take. The operator stores the results
// of calls, and the API server may be slow.
const grace = 25 * time.Second

// newManager returns the manager that runs everything.
func newManager(o Options) (manager.Manager, error) {
	end, unstructuredToo := o.CallTimeout+grace, true
	config := rest.CopyConfig(o.Config)
	if config.QPS == 0 {
		config.QPS = -1 // API priority and fairness of the API server limits the requests
	}
	options := manager.Options{
		Scheme:                        o.Scheme,
		Cache:                         cacheOptions(o),
		Client:                        client.Options{Cache: &client.CacheOptions{Unstructured: unstructuredToo, DisableFor: []client.Object{&corev1.Secret{}}}},
		Metrics:                       metricsserver.Options{BindAddress: or(o.MetricsAddress, nowhere)},
		HealthProbeBindAddress:        or(o.ProbeAddress, nowhere),
		LeaderElection:                o.LeaderElection.On,
		LeaderElectionNamespace:       o.LeaderElection.Namespace,
		LeaderElectionID:              o.LeaderElection.ID,
		LeaderElectionReleaseOnCancel: true, // after the reconcilers have ended
		LeaseDuration:                 unlessZero(o.LeaderElection.Lease),
		RenewDeadline:                 unlessZero(o.LeaderElection.Renew),
		RetryPeriod:                   unlessZero(o.LeaderElection.Retry),
		GracefulShutdownTimeout:       &end,
	}
	if o.Conversions != nil {
		server, err := o.Conversions.server()
		if err != nil {
			return nil, err
		}
		options.WebhookServer = server
	}
	return manager.New(config, options)
}

func cacheOptions(o Options) cache.Options {
	out := cache.Options{DefaultTransform: slim(&packed.Packer{}), DefaultNamespaces: namespaces(o.Namespaces)}
	if o.ShardNamespaces {
		out.ByObject = map[client.Object]cache.ByObject{namespaceMetadata(): {Transform: slimNamespace}}
	}
	return out
}

func or(given, otherwise string) string {
	if given == "" {
		return otherwise
	}
	return given
}

func unlessZero(d time.Duration) *time.Duration {
	if d == 0 {
		return nil
	}
	return &d
}

func namespaces(names []string) map[string]cache.Config {
	if len(names) == 0 {
		return nil
	}
	all := map[string]cache.Config{}
	for _, name := range names {
		all[name] = cache.Config{}
	}
	return all
}

// slim returns a transform of cached objects. It removes the metadata that this process does not
// read, and packs resources. Writes are patches, which do not restore the metadata.
func slim(with *packed.Packer) toolscache.TransformFunc {
	return func(object any) (any, error) {
		switch o := object.(type) {
		case *unstructured.Unstructured:
			reconciler.Slim(o)
			return with.Pack(o)
		case *metav1.PartialObjectMetadata:
			o.ManagedFields, o.Annotations, o.Labels = nil, nil, nil
		}
		return object, nil
	}
}

// server returns the webhook server. Managers start it before their caches, which may need
// conversions.
func (c *Conversions) server() (ctrlwebhook.Server, error) {
	host, port, err := net.SplitHostPort(c.Address)
	if err != nil {
		return nil, fmt.Errorf("address of conversions: %w", err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("address of conversions: port %q: %w", port, err)
	}
	if filepath.Dir(c.CertFile) != filepath.Dir(c.KeyFile) {
		return nil, errors.New("certificate and key of conversions are in different folders")
	}
	return ctrlwebhook.NewServer(ctrlwebhook.Options{
		Host: host, Port: number,
		CertDir: filepath.Dir(c.CertFile), CertName: filepath.Base(c.CertFile), KeyName: filepath.Base(c.KeyFile),
	}), nil
}

// observe reports the problems that conversions recover from, and serves conversions if the
// options require it.
func observe(o Options, m manager.Manager) error {
	tell, err := telemetry.New(telemetry.Options{Log: o.Log, Metrics: o.Registry})
	var is prometheus.AlreadyRegisteredError
	if errors.As(err, &is) { // registered by another operator in this process
		tell, err = telemetry.New(telemetry.Options{Log: o.Log})
	}
	if err != nil {
		return err
	}
	if o.Conversions != nil {
		if err := webhook.Add(m, webhook.Options{Telemetry: tell}); err != nil {
			return err
		}
	}
	if o.Observer != nil {
		runtime.SetObserver(o.Observer)
	} else {
		runtime.SetObserver(tell)
	}
	return nil
}

// addProbes adds the probes. The process is live as soon as it runs. It is ready if plugins
// answer and caches are filled, also on replicas that wait for the lease.
func addProbes(o Options, m manager.Manager) error {
	var synced atomic.Bool
	if err := m.Add(everywhere(func(ctx context.Context) error {
		synced.Store(m.GetCache().WaitForCacheSync(ctx))
		return nil
	})); err != nil {
		return err
	}
	plugins := &checked{check: o.Host.Check}
	return errors.Join(
		m.AddHealthzCheck("ping", healthz.Ping),
		m.AddReadyzCheck("plugins", plugins.Check),
		m.AddReadyzCheck("caches", func(*http.Request) error {
			if !synced.Load() {
				return errors.New("the caches are not filled yet")
			}
			return nil
		}),
	)
}

// everywhere is a runnable that runs on all replicas, with and without the lease.
type everywhere func(context.Context) error

func (f everywhere) Start(ctx context.Context) error { return f(ctx) }

func (everywhere) NeedLeaderElection() bool { return false }

// checked stores the result of a check for a while, since probes are frequent and the check calls
// plugins.
type checked struct {
	check func(context.Context) error

	mu   sync.Mutex
	at   time.Time
	last error
}

const checkGood = 15 * time.Second

// Check returns the result of the last check, and checks again if that is too old.
func (c *checked) Check(r *http.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || time.Since(c.at) > checkGood {
		c.last, c.at = c.check(r.Context()), time.Now()
		if r.Context().Err() != nil { // the caller has ended the request, so the result shows nothing
			c.at = time.Time{}
		}
	}
	return c.last
}
