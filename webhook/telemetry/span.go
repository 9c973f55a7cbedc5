package telemetry

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// The attributes of a review's span.
const (
	objectCountKey = attribute.Key("k8s.crd.conversion.converted_object_count")
	desiredKey     = attribute.Key("k8s.crd.conversion.desired_api_version")
	apiVersionKey  = attribute.Key("k8s.crd.conversion.api_version")
	kindKey        = attribute.Key("k8s.crd.conversion.kind")
	stepsKey       = attribute.Key("k8s.crd.conversion.steps")
)

// Begin begins the span of a review, as a child of the span that the client sent. End ends it.
func (t *Telemetry) Begin(r *http.Request) context.Context {
	if t == nil || t.tracer == nil {
		return r.Context()
	}
	return t.Start(propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
}

// Start begins the span of a review that did not arrive in a request. End ends it.
func (t *Telemetry) Start(ctx context.Context) context.Context {
	if t == nil || t.tracer == nil {
		return ctx
	}
	ctx, _ = t.tracer.Start(ctx, "ConversionReview", trace.WithSpanKind(trace.SpanKindServer))
	return ctx
}

func endSpan(span trace.Span, review *Review) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(
		objectCountKey.Int(review.Converted),
		desiredKey.String(bounded(review.Desired)),
		apiVersionKey.String(bounded(review.APIVersion)),
		kindKey.String(bounded(review.Kind)),
		stepsKey.Int(review.Steps),
	)
	if review.Err != nil {
		span.SetStatus(codes.Error, bounded(review.Err.Error()))
	}
}
