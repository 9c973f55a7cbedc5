package rest

import (
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

// sentKey is the key of a context under which a call stores whether its request was written.
type sentKey struct{}

// watched records in the context of each request that its headers were written. A server that has
// not received all headers processes nothing. Requests for tokens do not use this transport.
type watched struct{ policy.Transporter }

// Do sends the request.
func (w watched) Do(r *http.Request) (*http.Response, error) {
	if sent, ok := r.Context().Value(sentKey{}).(*atomic.Bool); ok {
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}))
	}
	return w.Transporter.Do(r)
}
