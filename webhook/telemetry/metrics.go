package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stratakube/strata/webhook/engine"
)

// metrics holds all metrics.
type metrics struct {
	reviews       *prometheus.CounterVec
	objects       *prometheus.CounterVec
	refusals      *prometheus.CounterVec
	passed        prometheus.Counter
	duration      prometheus.Histogram
	inFlight      prometheus.Gauge
	bytesInFlight prometheus.Gauge
	received      prometheus.Counter
	sent          prometheus.Counter
	panics        prometheus.Counter
	augmentations *prometheus.CounterVec
	raws          *prometheus.CounterVec
	bags          *prometheus.CounterVec
}

const (
	namespace = "strata"
	subsystem = "conversion"
)

func newMetrics() *metrics {
	m := &metrics{
		reviews:       counters("reviews_total", "Conversion reviews, by result.", "result"),
		objects:       counters("objects_total", "Objects, by kind, pair of versions and result.", "group", "kind", "from", "to", "result"),
		refusals:      counters("refusals_total", "Objects that no plan converted and Go types did, by kind, pair of versions and reason.", "group", "kind", "from", "to", "reason"),
		inFlight:      gauge("reviews_in_flight", "Reviews under way, those whose clients are waited for included."),
		bytesInFlight: gauge("bytes_in_flight", "Memory that reviews under way take, in bytes."),
		received:      counter("received_bytes_total", "Bytes of reviews that were read."),
		sent:          counter("sent_bytes_total", "Bytes of answers that were written."),
		panics:        counter("panics_total", "Conversions that panicked."),
		augmentations: counters("augmentation_errors_total", "Hand-written steps that failed; the generated result is used.", "group", "kind", "version", "step"),
		raws:          counters("raw_values_total", "Values of the wrong type that were kept.", "group", "kind", "version"),
		bags:          counters("bags_dropped_total", "Contents of status.propertyBag that could not be read.", "group", "kind", "version"),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "review_duration_seconds",
			Help:    "Time from the first byte of a review to the last of its answer.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 10),
		}),
	}
	m.passed = m.objects.WithLabelValues("", "", "", "", "passed")
	return m
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help})
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help}, labels)
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help})
}

func (m *metrics) register(with prometheus.Registerer) error {
	var failed []error
	for _, c := range []prometheus.Collector{
		m.reviews, m.objects, m.refusals, m.duration, m.inFlight, m.bytesInFlight, m.received, m.sent, m.panics, m.augmentations, m.raws, m.bags,
	} {
		failed = append(failed, with.Register(c))
	}
	return errors.Join(failed...)
}

func (m *metrics) end(review *Review) {
	m.reviews.WithLabelValues(string(review.Result)).Inc()
	m.received.Add(float64(review.Received))
	m.sent.Add(float64(review.Sent))
	if review.Passed > 0 {
		m.passed.Add(float64(review.Passed))
	}
	if review.Result == Success || review.Result == Failure {
		m.duration.Observe(time.Since(review.Began).Seconds())
	}
}

// Objects counts the objects of one pair. A nil Objects does nothing.
type Objects struct {
	converted, failed prometheus.Counter
	refusals          *prometheus.CounterVec // by reason
}

// Objects returns the counters for the objects of a pair; nil if metrics are off.
func (t *Telemetry) Objects(pair engine.Pair) *Objects {
	if t == nil || t.metrics == nil {
		return nil
	}
	labels := prometheus.Labels{"group": pair.Kind.Group, "kind": pair.Kind.Kind, "from": pair.From, "to": pair.To}
	objects := t.metrics.objects.MustCurryWith(labels)
	return &Objects{
		converted: objects.WithLabelValues("converted"), failed: objects.WithLabelValues("failed"),
		refusals: t.metrics.refusals.MustCurryWith(labels),
	}
}

// Refused counts an object that a converter left to the next one.
func (o *Objects) Refused(reason string) {
	if o != nil {
		o.refusals.WithLabelValues(reason).Inc()
	}
}

// Converted counts an object that was converted.
func (o *Objects) Converted() {
	if o != nil {
		o.converted.Inc()
	}
}

// Failed counts an object that was not converted.
func (o *Objects) Failed() {
	if o != nil {
		o.failed.Inc()
	}
}

// InFlight adds to the gauges of running reviews and of their memory. Negative values subtract.
func (t *Telemetry) InFlight(reviews int, bytes int64) {
	if t == nil || t.metrics == nil {
		return
	}
	t.metrics.inFlight.Add(float64(reviews))
	t.metrics.bytesInFlight.Add(float64(bytes))
}

// Panicked logs and counts a conversion that panicked.
func (t *Telemetry) Panicked(ctx context.Context, attributes ...slog.Attr) {
	if t == nil {
		return
	}
	if t.metrics != nil {
		t.metrics.panics.Inc()
	}
	if t.log != nil && t.may(ctx) {
		t.log.LogAttrs(ctx, slog.LevelError, "a conversion panicked", attributes...)
	}
}
