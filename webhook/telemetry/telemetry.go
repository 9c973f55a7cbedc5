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

// Options say who is told. What is nil is off.
type Options struct {
	// Log takes structured messages. A review that succeeds is told at debug level only.
	Log *slog.Logger
	// Metrics registers what is counted, once.
	Metrics prometheus.Registerer
	// Traces makes the tracer, which makes one span for a review.
	Traces trace.TracerProvider
}

// Telemetry tells what happens. All its methods work on a nil Telemetry, and then do nothing.
type Telemetry struct {
	log     *slog.Logger
	metrics *metrics
	tracer  trace.Tracer
	often   *rate.Limiter
	left    leftOut
}

// scope names this package to metrics and traces.
const scope = "github.com/stratakube/strata/webhook"

// New makes a Telemetry. It fails if metrics of these names are registered already.
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

// Result is what became of a review.
type Result string

// The results of reviews, as the metric has them.
const (
	Success   Result = "success"   // all objects are in the answer
	Failure   Result = "failure"   // the answer says why they are not
	Refused   Result = "refused"   // what was asked is no review, or too much
	Busy      Result = "busy"      // there was no room
	Slow      Result = "slow"      // the client sent too slowly, and was cut off
	Abandoned Result = "abandoned" // the client has gone, or takes the answer too slowly
)

// Review is what is told of one review.
type Review struct {
	Result Result
	// UID is that of the request, in quotes.
	UID []byte
	// Desired is the version that was asked for; APIVersion, Kind are those of the first object that was converted.
	Desired, APIVersion, Kind string
	// Steps is the longest way of an object.
	Steps int
	// Converted and Passed count objects: those that changed their version, and those that had it.
	Converted, Passed int
	// Received and Sent are bytes.
	Received, Sent int64
	// Began is when the first byte was read.
	Began time.Time
	// Err says why there is no success.
	Err error
}

// End tells of a review that is over.
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
