package provider

import (
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Counts counts calls of providers. A nil Counts counts nothing.
type Counts struct {
	calls *prometheus.CounterVec
	took  *prometheus.HistogramVec
	until *prometheus.GaugeVec
}

// NewCounts returns Counts and registers its metrics. If they are registered already, it uses the
// existing ones.
func NewCounts(with prometheus.Registerer) (*Counts, error) {
	c := &Counts{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "strata_operator_provider_calls_total", Help: "Calls of providers, by method and result.",
		}, []string{"provider", "method", "result"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "strata_operator_provider_call_duration_seconds", Help: "How long calls of providers take.",
			Buckets: prometheus.ExponentialBuckets(0.001, 4, 9),
		}, []string{"provider", "method"}),
		until: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "strata_operator_paused_until_seconds",
			Help: "Until when calls are not made since the external API throttles them, in seconds of Unix time, by subscription.",
		}, []string{"provider", "subscription"}),
	}
	var err error
	if c.calls, err = registered(with, c.calls); err != nil {
		return nil, err
	}
	if c.took, err = registered(with, c.took); err != nil {
		return nil, err
	}
	c.until, err = registered(with, c.until)
	return c, err
}

// registered registers a collector, or returns the one that is registered already.
func registered[C prometheus.Collector](with prometheus.Registerer, c C) (C, error) {
	err := with.Register(c)
	var is prometheus.AlreadyRegisteredError
	if errors.As(err, &is) {
		if same, ok := is.ExistingCollector.(C); ok {
			return same, nil
		}
	}
	if err != nil {
		return c, fmt.Errorf("register metrics: %w", err)
	}
	return c, nil
}

func (c *Counts) call(provider, method string, err error, took time.Duration) {
	if c == nil {
		return
	}
	result := "Done"
	if err != nil {
		result = FailureOf(err).Reason
	}
	c.calls.WithLabelValues(provider, method, result).Inc()
	c.took.WithLabelValues(provider, method).Observe(took.Seconds())
}

// pause sets the time until which the operator makes no calls of a provider in a subscription.
func (c *Counts) pause(provider, subscription string, until time.Time) {
	if c != nil {
		c.until.WithLabelValues(provider, subscription).Set(float64(until.Unix()))
	}
}
