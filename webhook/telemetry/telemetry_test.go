package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/telemetry"
)

var pair = engine.Pair{Kind: schema.GroupKind{Group: "g", Kind: "K"}, From: "v1", To: "v2"}

func request() *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/convert", nil)
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	return r
}

func review(result telemetry.Result, err error) *telemetry.Review {
	return &telemetry.Review{
		Result: result, UID: []byte(`"u"`), Desired: "g/v2", APIVersion: "g/v1", Kind: "K",
		Steps: 2, Converted: 3, Passed: 1, Received: 10, Sent: 20, Began: time.Now(), Err: err,
	}
}

func make1(t *testing.T, options telemetry.Options) *telemetry.Telemetry {
	t.Helper()
	tel, err := telemetry.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return tel
}

func TestSpan(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	tel := make1(t, telemetry.Options{Traces: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))})
	tel.End(tel.Begin(request()), review(telemetry.Failure, errors.New("why")))
	spans := recorder.Ended()
	if len(spans) != 1 {
		t.Fatalf("%d spans", len(spans))
	}
	got := map[string]any{}
	for _, a := range spans[0].Attributes() {
		got[string(a.Key)] = a.Value.AsInterface()
	}
	want := map[string]any{
		"k8s.crd.conversion.converted_object_count": int64(3),
		"k8s.crd.conversion.desired_api_version":    "g/v2",
		"k8s.crd.conversion.api_version":            "g/v1",
		"k8s.crd.conversion.kind":                   "K",
		"k8s.crd.conversion.steps":                  int64(2),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if parent := spans[0].Parent(); parent.SpanID().String() != "b7ad6b7169203331" {
		t.Errorf("the span is not below that of the client: %s", parent.SpanID())
	}
	if spans[0].Status().Description != "why" {
		t.Errorf("status is %v", spans[0].Status())
	}
}

func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	tel := make1(t, telemetry.Options{Metrics: registry})
	tel.End(context.Background(), review(telemetry.Success, nil))
	tel.InFlight(2, 100)
	objects := tel.Objects(pair)
	objects.Converted()
	objects.Failed()
	tel.Panicked(t.Context())
	for _, what := range []runtime.Occurrence{runtime.RawKept, runtime.BagDropped, runtime.AugmentationFailed} {
		tel.Observe(runtime.Event{What: what, Kind: pair.Source(), Step: "S"})
	}
	want := `
# HELP strata_conversion_augmentation_errors_total Hand-written steps that failed; the generated result is used.
# TYPE strata_conversion_augmentation_errors_total counter
strata_conversion_augmentation_errors_total{group="g",kind="K",step="S",version="v1"} 1
# HELP strata_conversion_bags_dropped_total Contents of status.propertyBag that could not be read.
# TYPE strata_conversion_bags_dropped_total counter
strata_conversion_bags_dropped_total{group="g",kind="K",version="v1"} 1
# HELP strata_conversion_bytes_in_flight Memory that reviews under way take, in bytes.
# TYPE strata_conversion_bytes_in_flight gauge
strata_conversion_bytes_in_flight 100
# HELP strata_conversion_objects_total Objects, by kind, pair of versions and result.
# TYPE strata_conversion_objects_total counter
strata_conversion_objects_total{from="",group="",kind="",result="passed",to=""} 1
strata_conversion_objects_total{from="v1",group="g",kind="K",result="converted",to="v2"} 1
strata_conversion_objects_total{from="v1",group="g",kind="K",result="failed",to="v2"} 1
# HELP strata_conversion_panics_total Conversions that panicked.
# TYPE strata_conversion_panics_total counter
strata_conversion_panics_total 1
# HELP strata_conversion_raw_values_total Values of the wrong type that were kept.
# TYPE strata_conversion_raw_values_total counter
strata_conversion_raw_values_total{group="g",kind="K",version="v1"} 1
# HELP strata_conversion_received_bytes_total Bytes of reviews that were read.
# TYPE strata_conversion_received_bytes_total counter
strata_conversion_received_bytes_total 10
# HELP strata_conversion_reviews_in_flight Reviews under way, those whose clients are waited for included.
# TYPE strata_conversion_reviews_in_flight gauge
strata_conversion_reviews_in_flight 2
# HELP strata_conversion_reviews_total Conversion reviews, by result.
# TYPE strata_conversion_reviews_total counter
strata_conversion_reviews_total{result="success"} 1
# HELP strata_conversion_sent_bytes_total Bytes of answers that were written.
# TYPE strata_conversion_sent_bytes_total counter
strata_conversion_sent_bytes_total 20
`
	names := []string{
		"augmentation_errors_total", "bags_dropped_total", "bytes_in_flight", "objects_total", "panics_total", "raw_values_total",
		"received_bytes_total", "reviews_in_flight", "reviews_total", "sent_bytes_total",
	}
	for i := range names {
		names[i] = "strata_conversion_" + names[i]
	}
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}
	if _, err := telemetry.New(telemetry.Options{Metrics: registry}); err == nil {
		t.Error("metrics were registered twice without an error")
	}
}

func TestLog(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "took" {
			return slog.Attr{}
		}
		return a
	}}))
	tel := make1(t, telemetry.Options{Log: log})
	tel.End(context.Background(), review(telemetry.Success, nil))
	tel.End(context.Background(), review(telemetry.Failure, errors.New("spec.a: wrong")))
	tel.Observe(runtime.Event{What: runtime.RawKept, Kind: pair.Source(), Namespace: "ns", Name: "ann", Path: "spec.a", Err: errors.New("wrong type")})
	tel.Panicked(t.Context(), slog.String("pair", pair.String()))
	want := `level=WARN msg="conversion review" result=failure uid=u desired=g/v2 apiVersion=g/v1 kind=K converted=3 passed=1 bytes=10 error="spec.a: wrong"
level=WARN msg="raw value kept" group=g version=v1 kind=K namespace=ns name=ann path=spec.a error="wrong type"
level=ERROR msg="a conversion panicked" pair="K.g from v1 to v2"
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// TestFloodOfWarningsIsCutShort checks it for an object that cannot be understood and is read
// again and again.
func TestFloodOfWarningsIsCutShort(t *testing.T) {
	var out bytes.Buffer
	tel := make1(t, telemetry.Options{Log: slog.New(slog.NewTextHandler(&out, nil))})
	for range 100_000 {
		tel.Observe(runtime.Event{What: runtime.RawKept})
	}
	if lines := strings.Count(out.String(), "\n"); lines < 100 || lines > 50_000 {
		t.Errorf("%d lines were written", lines)
	}
}

func TestOff(t *testing.T) {
	for reason, tel := range map[string]*telemetry.Telemetry{"nil": nil, "zero": make1(t, telemetry.Options{})} {
		r, event, of := request(), runtime.Event{What: runtime.RawKept}, review(telemetry.Success, nil)
		allocations := testing.AllocsPerRun(100, func() {
			ctx := tel.Begin(r)
			objects := tel.Objects(pair)
			objects.Converted()
			objects.Failed()
			tel.InFlight(1, 1)
			tel.Observe(event)
			tel.Panicked(ctx)
			tel.End(ctx, of)
		})
		if allocations != 0 {
			t.Errorf("%s: what is off makes %v allocations", reason, allocations)
		}
	}
}

// TestTextsAreBounded checks that long texts of objects, which no API server would store, fill
// neither the log nor spans.
func TestTextsAreBounded(t *testing.T) {
	long := strings.Repeat("ä", 1<<20)
	var log bytes.Buffer
	recorder := tracetest.NewSpanRecorder()
	tel := make1(t, telemetry.Options{
		Log:    slog.New(slog.NewJSONHandler(&log, nil)),
		Traces: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)),
	})
	tel.Observe(runtime.Event{
		What: runtime.RawKept, Kind: schema.GroupVersionKind{Group: long, Version: long, Kind: long},
		Namespace: long, Name: long, Path: long, Step: long, Err: errors.New(long),
	})
	ended := review(telemetry.Failure, errors.New(long))
	ended.UID, ended.Desired, ended.APIVersion, ended.Kind = []byte(long), long, long, long
	tel.End(tel.Begin(request()), ended)
	if log.Len() < 13*1<<10 || log.Len() > 16<<10 || strings.Contains(log.String(), "\ufffd") {
		t.Errorf("the log has %d bytes", log.Len())
	}
	size := len(recorder.Ended()[0].Status().Description)
	for _, a := range recorder.Ended()[0].Attributes() {
		size += len(a.Value.String())
	}
	if size < 4<<10 || size > 5<<10 {
		t.Errorf("the span has %d bytes", size)
	}
}
