package server

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stratakube/strata/webhook/certs"
)

// source makes the source of certificates that the flags configure.
func (f *flags) source(log *slog.Logger) (certs.Source, error) {
	if f.secret == "" {
		return certs.NewFiles(f.certFile, f.keyFile, log), nil
	}
	config, err := f.cluster()
	if err != nil {
		return nil, fmt.Errorf("reach the API server: %w", err)
	}
	client, err := certs.NewClient(config)
	if err != nil {
		return nil, fmt.Errorf("reach the API server: %w", err)
	}
	namespace, name, _ := strings.Cut(f.secret, "/")
	return certs.NewManaged(client, certs.ManagedOptions{
		Secret:      types.NamespacedName{Namespace: namespace, Name: name},
		CRDs:        strings.Split(f.crds, ","),
		Names:       strings.Split(f.names, ","),
		CALife:      f.caLife,
		ServingLife: f.servingLife,
		CADelay:     f.caDelay,
		Log:         log,
	})
}

// cluster returns the connection to the API server for sharing certificates, with a timeout.
func (f *flags) cluster() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig)
	if err != nil {
		return nil, err
	}
	config.Timeout = callTimeout
	return config, nil
}

// traces returns the provider of spans, and a function that sends the remaining ones at the end.
func (f *flags) traces(ctx context.Context) (provider trace.TracerProvider, flush func(), err error) {
	if f.otlp == off {
		return nil, func() {}, nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(f.otlp))
	if err != nil {
		return nil, nil, fmt.Errorf("send spans to %s: %w", f.otlp, err)
	}
	sending := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.AlwaysSample())))
	return sending, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := sending.Shutdown(ctx); err != nil {
			slog.Default().Debug("the last spans were not sent", "error", err)
		}
	}, nil
}
