package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"
)

// Options choose the outputs. A nil output is off.
type Options struct {
	// Log receives structured messages. Reviews that succeed are logged at debug level only.
	Log *slog.Logger
	// Metrics is where the metrics are registered, once.
	Metrics prometheus.Registerer
	// Traces creates the tracer. Each review is one span.
	Traces trace.TracerProvider
}

// Telemetry reports reviews and events to its outputs. All its methods work on a nil Telemetry,
// and then do nothing.
type Telemetry struct {
	log     *slog.Logger
	metrics *metrics
	tracer  trace.Tracer
	often   *rate.Limiter
	left    leftOut
}

// scope identifies this package in metrics and traces.
const scope = "github.com/stratakube/strata/webhook"

// New makes a Telemetry. It fails if metrics of these names are already registered.
func New(options Options) (*Telemetry, error) {
	t := &Telemetry{log: options.Log, often: rate.NewLimiter(messagesPerSecond, 10*messagesPerSecond)}
	if options.Metrics != nil {
		m := newMetrics()
		if err := m.register(options.Metrics); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
		t.metrics = m
	}
	if options.Traces != nil {
		t.tracer = options.Traces.Tracer(scope)
	}
	return t, nil
}

// Result is the outcome of a review.
type Result string

// The results of reviews, as values of the metric's label.
const (
	Success   Result = "success"   // all objects are in the answer
	Failure   Result = "failure"   // the answer reports an error
	Refused   Result = "refused"   // the request is not a review, or too large
	Busy      Result = "busy"      // there was no room
	Slow      Result = "slow"      // the client sent too slowly, and was cut off
	Abandoned Result = "abandoned" // the client has disconnected, or reads the answer too slowly
)

// Review describes one review.
type Review struct {
	Result Result
	// UID is the uid of the request, with quotes.
	UID []byte
	// Desired is the requested version. APIVersion and Kind are those of the first object that was
	// converted.
	Desired, APIVersion, Kind string
	// Steps is the largest number of conversions of one object.
	Steps int
	// Converted counts objects whose version changed, and Passed those that already had the desired
	// version.
	Converted, Passed int
	// Received and Sent count bytes.
	Received, Sent int64
	// Began is when the first byte was read.
	Began time.Time
	// Err is the reason why the review did not succeed.
	Err error
}

// End reports a review that has ended.
func (t *Telemetry) End(ctx context.Context, review *Review) {
	if t == nil {
		return
	}
	if t.metrics != nil {
		t.metrics.end(review)
	}
	if t.tracer != nil {
		endSpan(trace.SpanFromContext(ctx), review)
	}
	if t.log != nil {
		t.logReview(ctx, review)
	}
}

func (t *Telemetry) logReview(ctx context.Context, review *Review) {
	level := slog.LevelDebug
	switch {
	case review.Result == Success:
	case !t.may(ctx):
		return
	default:
		level = slog.LevelWarn
	}
	if !t.log.Enabled(ctx, level) {
		return
	}
	attributes := []slog.Attr{
		text("result", string(review.Result)),
		text("uid", string(bytes.Trim(review.UID, `"`))),
		text("desired", review.Desired),
		text("apiVersion", review.APIVersion),
		text("kind", review.Kind),
		slog.Int("converted", review.Converted),
		slog.Int("passed", review.Passed),
		slog.Int64("bytes", review.Received),
		slog.Duration("took", time.Since(review.Began)),
	}
	if review.Err != nil {
		attributes = append(attributes, text("error", review.Err.Error()))
	}
	t.log.LogAttrs(ctx, level, "conversion review", attributes...)
}
