package loopback_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stratakube/strata/tools/testcluster/loopback"
)

func TestFree(t *testing.T) {
	address, err := loopback.Free()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("%s is not free: %v", address, err)
	}
	_ = listener.Close()
}

func TestGet(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write([]byte("at " + r.URL.Path))
	}))
	defer s.Close()
	if text, err := loopback.Get(t.Context(), s.Client(), s.URL+"/readyz"); text != "at /readyz" || err != nil {
		t.Errorf("the answer is %q (%v)", text, err)
	}
	_, err := loopback.Get(t.Context(), s.Client(), s.URL+"/livez")
	if err == nil || !strings.HasSuffix(err.Error(), "/livez: 503 Service Unavailable\nat /livez") {
		t.Errorf("error = %v, want the status and the body", err)
	}
	s.Close()
	if _, err := loopback.Get(t.Context(), s.Client(), s.URL); err == nil {
		t.Error("a server that is closed answers")
	}
}

// TestGetOfServerThatHangs reads from a server that accepts a connection and never answers, in a
// context without an end.
func TestGetOfServerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: &http.Transport{
			DialContext: func(context.Context, string, string) (net.Conn, error) {
				ours, theirs := net.Pipe()
				go func() { _, _ = io.Copy(io.Discard, theirs) }()
				return ours, nil
			},
		}}
		begun := time.Now()
		_, err := loopback.Get(context.Background(), client, "http://"+loopback.Address)
		if took := time.Since(begun); err == nil || took != 30*time.Second {
			t.Errorf("after %s: %v", took, err)
		}
	})
}
