// Package patient lets requests outlive a restart of the API server. Package cli calls it.
package patient

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	pause   = 500 * time.Millisecond // between two looks at the server
	request = 3 * time.Second        // a look may take
	// starts is how long an API server that starts may refuse to say whether it is ready.
	starts  = 30 * time.Second
	longest = 1 << 20 // bytes of an answer that are read, so that its connection can be used again
)

// Transport sends requests again that an API server has not answered, or has answered before it was
// ready. An API server that starts refuses users until it has read the roles, and knows no custom
// resources until it has read their CRDs. Callers must expect that a write was done although it is
// sent again: each has a resource version, or may find what it creates.
type Transport struct {
	Inner http.RoundTripper
	// Outage is how long the API server may not be ready, or not answer.
	Outage time.Duration
	// Waits gets a line when requests begin to wait; it may be nil.
	Waits func(line string)

	// answered reports that there was an answer. Before the first one, an address may be wrong.
	answered atomic.Bool
	waiting  atomic.Bool
	blind    atomic.Bool // the user may not ask whether the server is ready
}

// WrappedRoundTripper returns Inner. Without it, client-go prints a warning for each request that
// ends early.
func (t *Transport) WrappedRoundTripper() http.RoundTripper { return t.Inner }

// RoundTrip sends a request.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	for first := true; ; first = false {
		response, err := t.Inner.RoundTrip(r)
		if err == nil && !isEarly(response.StatusCode) {
			t.answered.Store(true)
			return response, nil
		}
		if !t.answered.Load() || r.Context().Err() != nil || r.Body != nil && r.GetBody == nil {
			return response, err
		}
		waited, ready := t.awaitReady(r)
		// An API server that has become ready between both requests may have answered before it was.
		refused := err != nil || response.StatusCode < http.StatusInternalServerError
		if !ready || !waited && !(first && refused) {
			return response, err
		}
		if err == nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, longest))
			_ = response.Body.Close()
		}
		if r, err = copyOf(r); err != nil {
			return nil, err
		}
	}
}

// isEarly reports whether an API server that starts may give an answer.
func isEarly(code int) bool {
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusInternalServerError, http.StatusServiceUnavailable:
		return true
	}
	return false
}

func copyOf(r *http.Request) (*http.Request, error) {
	out := r.Clone(r.Context())
	if r.GetBody == nil {
		return out, nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, fmt.Errorf("send request again: %w", err)
	}
	out.Body = body
	return out, nil
}

// awaitReady waits until the API server is ready. It reports whether it had to wait.
func (t *Transport) awaitReady(r *http.Request) (waited, ready bool) {
	for began := time.Now(); ; waited = true {
		switch code := t.look(r); {
		case code == http.StatusOK:
			t.waiting.Store(false)
			return waited, true
		case t.blind.Load():
			return waited, code != 0
		case code != 0 && code < http.StatusInternalServerError && time.Since(began) > starts:
			t.blind.Store(true) // the user may not ask for it
			continue
		case time.Since(began) > t.Outage, r.Context().Err() != nil:
			return waited, false
		}
		if t.waiting.CompareAndSwap(false, true) && t.Waits != nil {
			t.Waits("waits for the API server " + r.URL.Host)
		}
		select {
		case <-r.Context().Done():
		case <-time.After(pause):
		}
	}
}

// look asks the API server whether it is ready, and returns the code of its answer; zero without
// one.
func (t *Transport) look(r *http.Request) int {
	ctx, cancel := context.WithTimeout(r.Context(), request)
	defer cancel()
	at := *r.URL
	at.Path, at.RawPath, at.RawQuery = "/readyz", "", ""
	question, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return 0
	}
	question.Header = r.Header.Clone() // of the user
	response, err := t.Inner.RoundTrip(question)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, longest))
	return response.StatusCode
}
