package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/certs"
	"github.com/stratakube/strata/webhook/telemetry"
)

// Run serves conversions until ctx is done, and then ends as [Options] specify. It returns nil if
// no review was cut off.
//
// It refuses to start if a kind has versions that do not convert, and lists them all. It becomes
// the observer of package runtime, and reports the events in its log and metrics.
func Run(ctx context.Context, options Options) error {
	options, err := options.orDefault()
	if err != nil {
		return fmt.Errorf("start the webhook: %w", err)
	}
	s, err := newProcess(ctx, options)
	if err != nil {
		return fmt.Errorf("start the webhook: %w", err)
	}
	return s.run(ctx)
}

// process is a running server.
type process struct {
	options                      Options
	handler                      *webhook.Handler
	ready                        *readiness
	conversions, metrics, probes *endpoint
}

func newProcess(ctx context.Context, options Options) (*process, error) {
	e, err := webhook.EngineOf(options.Scheme, options.Kinds...)
	if err != nil {
		return nil, err
	}
	registry, err := newRegistry(options)
	if err != nil {
		return nil, err
	}
	tel, err := newTelemetry(options, registry)
	if err != nil {
		return nil, err
	}
	p := &process{
		options: options,
		handler: webhook.New(e, webhook.Options{Limits: options.Limits, Telemetry: tel}),
		ready:   &readiness{certificates: options.Certificates, versions: versionsOf(e)},
	}
	if err := p.listen(ctx, registry); err != nil {
		return nil, err
	}
	runtime.SetObserver(tel)
	ctrllog.SetLogger(logr.FromSlogHandler(options.Log.Handler()))
	return p, nil
}

// newRegistry makes the registry of metrics; nil if they are off.
func newRegistry(options Options) (*prometheus.Registry, error) {
	if options.MetricsAddress == "" {
		return nil, nil
	}
	registry := prometheus.NewRegistry()
	return registry, errors.Join(
		registry.Register(collectors.NewGoCollector()),
		registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})),
		registry.Register(certificateExpiry(options.Certificates)),
	)
}

func certificateExpiry(of certs.Source) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "strata_conversion_certificate_expiry_timestamp_seconds",
		Help: "When the serving certificate expires, in seconds since 1970; zero while there is none.",
	}, func() float64 {
		if end := of.NotAfter(); !end.IsZero() {
			return float64(end.Unix())
		}
		return 0
	})
}

func newTelemetry(options Options, registry *prometheus.Registry) (*telemetry.Telemetry, error) {
	o := telemetry.Options{Traces: options.Traces}
	if options.Log.Handler() != slog.DiscardHandler {
		o.Log = options.Log
	}
	if registry != nil {
		o.Metrics = registry
	}
	return telemetry.New(o)
}

// listen opens all endpoints, or none.
func (p *process) listen(ctx context.Context, registry *prometheus.Registry) (err error) {
	defer func() {
		if err != nil {
			p.conversions.close()
			p.metrics.close()
			p.probes.close()
		}
	}()
	o := &p.options
	if p.conversions, err = listen(ctx, "conversions", o.Address, connectionLimit{o.Connections, o.ConnectionsOfPeer}, p.ready.conversions(p.handler, webhook.Path), o.Log); err != nil {
		return err
	}
	p.conversions.protect(o)
	if registry != nil {
		mux := http.NewServeMux()
		mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxScrapes, Timeout: readTimeout}))
		if p.metrics, err = listen(ctx, "metrics", o.MetricsAddress, otherLimit, mux, o.Log); err != nil {
			return err
		}
	}
	p.probes, err = listen(ctx, "probes", o.ProbeAddress, otherLimit, p.ready.probes(), o.Log)
	return err
}

// run serves until ctx is done or a component fails. Certificates, metrics and probes stay
// available until the last review is answered.
func (p *process) run(ctx context.Context) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	failed := make(chan error, 5)
	var all sync.WaitGroup
	for _, task := range []func() error{
		p.conversions.serve, p.metrics.serve, p.probes.serve,
		func() error { return p.options.Certificates.Start(background) },
		func() error { return p.test(background) },
	} {
		all.Go(func() {
			if err := task(); err != nil {
				failed <- err
			}
		})
	}
	if p.options.Listening != nil {
		p.options.Listening(p.conversions.address(), p.metrics.address(), p.probes.address())
	}
	p.options.Log.Info("serving", "conversions", p.conversions.where(), "metrics", p.metrics.where(), "probes", p.probes.where())
	var problem error
	select {
	case <-ctx.Done():
	case problem = <-failed:
	}
	problem = errors.Join(problem, p.end(problem))
	stop()
	all.Wait()
	return problem
}

// test runs the self-test. If it fails, the process stays alive and is not ready, and /readyz
// reports the reason. The end of the process is not a failure.
func (p *process) test(ctx context.Context) error {
	if err := p.ready.test(ctx, p.handler.Check); err != nil && ctx.Err() == nil {
		p.options.Log.Error("the self-test failed", "error", err)
	}
	return nil
}

// end ends a process, with the lame-duck time if no component has failed.
func (p *process) end(problem error) error {
	p.ready.ending.Store(true)
	p.options.Log.Info("shutting down", "lameDuck", p.options.LameDuck.String())
	if problem == nil {
		time.Sleep(p.options.LameDuck)
	}
	err := p.conversions.drain(p.options.Drain)
	p.options.Log.Info("all conversions are answered")
	return errors.Join(err, p.probes.drain(time.Second), p.metrics.drain(time.Second))
}
