package reviews

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/tools/testcluster/ca"
	"github.com/stratakube/strata/tools/testcluster/loopback"
)

// webhook converts objects by their apiVersion alone, and counts reviews by the name of the object
// that they contain.
type webhook struct {
	client v1.WebhookClientConfig
	server *http.Server

	mu    sync.Mutex
	calls map[string]int
	last  time.Time // of any review
}

func serve(ctx context.Context) (*webhook, error) {
	issuer, err := ca.New("strata-reviews")
	if err != nil {
		return nil, err
	}
	certificate, key, err := issuer.Server()
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("serve webhook: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", loopback.AnyPort)
	if err != nil {
		return nil, fmt.Errorf("serve webhook: %w", err)
	}
	url := "https://" + listener.Addr().String() + "/convert"
	w := &webhook{client: v1.WebhookClientConfig{URL: &url, CABundle: ca.Bundle(issuer)}, calls: map[string]int{}}
	w.server = &http.Server{
		Handler: http.HandlerFunc(w.convert), ReadHeaderTimeout: time.Minute,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13},
	}
	go func() { _ = w.server.ServeTLS(listener, "", "") }() // it ends when close is called
	return w, nil
}

func (w *webhook) close() error { return w.server.Close() }

// largest is the most bytes of a review that the webhook reads.
const largest = 16 << 20

// convert answers a review.
func (w *webhook) convert(out http.ResponseWriter, r *http.Request) {
	var review v1.ConversionReview
	if err := json.NewDecoder(http.MaxBytesReader(out, r.Body, largest)).Decode(&review); err != nil || review.Request == nil {
		http.Error(out, "no review", http.StatusBadRequest)
		return
	}
	review.Response = &v1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	for _, object := range review.Request.Objects {
		var o unstructured.Unstructured
		if err := o.UnmarshalJSON(object.Raw); err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		w.note(o.GetName())
		o.SetAPIVersion(review.Request.DesiredAPIVersion)
		raw, err := o.MarshalJSON()
		if err != nil {
			http.Error(out, err.Error(), http.StatusInternalServerError)
			return
		}
		review.Response.ConvertedObjects = append(review.Response.ConvertedObjects, runtime.RawExtension{Raw: raw})
	}
	review.Request = nil
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(review) // a client that has gone asks again
}

func (w *webhook) note(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls[name]++
	w.last = time.Now()
}

func (w *webhook) count(name string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[name]
}

// silence is how long no review may come until a request is over. Caches ask last, within
// milliseconds.
const silence = 300 * time.Millisecond

// over waits until a request has caused all its reviews, and returns how many the object had so
// far.
func (w *webhook) over(ctx context.Context, name string) (int, error) {
	for began := time.Now(); ; {
		w.mu.Lock()
		quiet, calls := min(time.Since(w.last), time.Since(began)), w.calls[name]
		w.mu.Unlock()
		if quiet >= silence {
			return calls, nil
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(silence - quiet):
		}
		if time.Since(began) > time.Minute {
			return 0, errors.New("reviews did not end within a minute")
		}
	}
}
