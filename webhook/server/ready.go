package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/stratakube/strata/webhook/certs"
)

// readiness reports whether the server should be sent reviews.
type readiness struct {
	certificates certs.Source
	versions     []byte                // what /versions answers
	tested       atomic.Pointer[error] // the result of the self-test; nil before its end
	ending       atomic.Bool
}

// test runs the self-test.
func (r *readiness) test(ctx context.Context, check func(context.Context) error) error {
	err := check(ctx)
	r.tested.Store(&err)
	return err
}

func (r *readiness) check() error {
	if r.ending.Load() {
		return errors.New("shutting down")
	}
	var problems []error
	switch tested := r.tested.Load(); {
	case tested == nil:
		problems = append(problems, errors.New("the self-test has not ended"))
	case *tested != nil:
		problems = append(problems, fmt.Errorf("the self-test failed: %w", *tested))
	}
	if err := r.certificates.Ready(); err != nil {
		problems = append(problems, fmt.Errorf("the certificate is not ready: %w", err))
	}
	return errors.Join(problems...)
}

// probes serves liveness, as soon as the process runs, readiness, and which versions the process
// converts.
func (r *readiness) probes() http.Handler {
	mux := http.NewServeMux()
	alive := func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") }
	mux.HandleFunc("/livez", alive)
	mux.HandleFunc("/healthz", alive)
	mux.HandleFunc("GET /versions", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(r.versions)
	})
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := r.check(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
	return mux
}

// conversions serves reviews. While the server ends, every answer asks the client to use a new
// connection, so that none is in use when the server closes them.
func (r *readiness) conversions(h http.Handler, path string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(path, func(w http.ResponseWriter, request *http.Request) {
		if r.ending.Load() {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, request)
	})
	return mux
}
