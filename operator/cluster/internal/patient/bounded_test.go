package patient

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestBounded has a server that falls silent before an answer, and one that does within it.
func TestBounded(t *testing.T) {
	ends := make(chan struct{})
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/before" {
			_, _ = io.WriteString(w, "begins")
			w.(http.Flusher).Flush()
		}
		if r.URL.Path != "/ends" {
			<-ends
		}
	}))
	defer at.Close()
	defer close(ends)
	for path, fails := range map[string]bool{"/before": true, "/within": true, "/ends": false} {
		limit := map[bool]time.Duration{true: 200 * time.Millisecond, false: time.Minute}[fails]
		client := &http.Client{Transport: &Bounded{Inner: &http.Transport{DisableKeepAlives: true}, Limit: limit}}
		response, err := client.Get(at.URL + path)
		text := ""
		if err == nil {
			var all []byte
			all, err = io.ReadAll(response.Body)
			text = string(all)
			_ = response.Body.Close()
		}
		if fails != (err != nil) || fails && !strings.Contains(err.Error(), "has not answered within 200ms") || !fails && text != "begins" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
}
