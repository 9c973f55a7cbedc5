package patient

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"
)

// TestEndedRequestsPrintNothing ends a request of client-go, which then looks for a way to cancel
// it within the transports around it.
func TestEndedRequestsPrintNothing(t *testing.T) {
	ends := make(chan struct{})
	at := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ends }))
	defer at.Close()
	defer close(ends)
	for name, wrap := range map[string]func(http.RoundTripper) http.RoundTripper{
		"Transport": func(inner http.RoundTripper) http.RoundTripper { return &Transport{Inner: inner} },
		"Bounded":   func(inner http.RoundTripper) http.RoundTripper { return &Bounded{Inner: inner, Limit: time.Minute} },
	} {
		t.Run(name, func(t *testing.T) {
			client, err := rest.HTTPClientFor(&rest.Config{Host: at.URL, WrapTransport: wrap, Timeout: 50 * time.Millisecond, BearerToken: "t"})
			if err != nil {
				t.Fatal(err)
			}
			var printed bytes.Buffer
			ctx := klog.NewContext(context.Background(), textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&printed))))
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := client.Do(r)
			if err == nil {
				_ = response.Body.Close()
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the request ended with %v", err)
			}
			time.Sleep(50 * time.Millisecond) // client-go cancels after the error
			if printed.Len() > 0 {
				t.Errorf("printed %s", &printed)
			}
		})
	}
}
