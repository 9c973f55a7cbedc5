package patient

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Bounded ends requests that a server does not answer in time. The time includes the whole answer:
// a server may fall silent within a list. A [Transport] around it sends such a request again.
type Bounded struct {
	Inner http.RoundTripper
	Limit time.Duration
}

// WrappedRoundTripper returns Inner, as that of [Transport] does.
func (t *Bounded) WrappedRoundTripper() http.RoundTripper { return t.Inner }

// RoundTrip sends a request.
func (t *Bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(r.Context(), t.Limit, fmt.Errorf("the API server has not answered within %s", t.Limit))
	response, err := t.Inner.RoundTrip(r.WithContext(ctx))
	if err != nil {
		defer cancel()
		return response, causeOf(ctx, err)
	}
	response.Body = &answer{response.Body, ctx, cancel}
	return response, nil
}

// causeOf returns why a context has ended, or the error of a call if it has not.
func causeOf(ctx context.Context, err error) error {
	if err != nil && err != io.EOF && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// answer is the body of an answer, which ends with its context.
type answer struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelFunc
}

// Read reads from the answer.
func (a *answer) Read(into []byte) (int, error) {
	n, err := a.ReadCloser.Read(into)
	return n, causeOf(a.ctx, err)
}

// Close ends the request.
func (a *answer) Close() error {
	defer a.cancel()
	return a.ReadCloser.Close()
}
