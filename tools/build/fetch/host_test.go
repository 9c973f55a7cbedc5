package fetch

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// host is a TLS server that records its requests.
type host struct {
	*httptest.Server
	mu    sync.Mutex
	asked []*http.Request
}

// newHost answers the n-th request, counted from 0, with answer.
func newHost(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, n int)) *host {
	h := &host{}
	h.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		n := len(h.asked)
		h.asked = append(h.asked, r)
		h.mu.Unlock()
		answer(w, r, n)
	}))
	h.Config.ErrorLog = nil
	t.Cleanup(h.Close)
	return h
}

// serving answers every request with data, as a whole or in ranges.
func serving(t testing.TB, data []byte) *host {
	return newHost(t, func(w http.ResponseWriter, r *http.Request, _ int) { serve(w, r, data) })
}

func serve(w http.ResponseWriter, r *http.Request, data []byte) {
	w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprintf("%x", sha256.Sum256(data))[:16]))
	http.ServeContent(w, r, "archive.tar.gz", time.Time{}, bytes.NewReader(data))
}

// breaking sends only the first half of the data, and then closes the connection.
func breaking(w http.ResponseWriter, r *http.Request, data []byte) {
	serve(&cutting{w, len(data) / 2}, r, data)
	panic(http.ErrAbortHandler)
}

type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(p []byte) (int, error) {
	p = p[:min(len(p), c.left)]
	c.left -= len(p)
	n, err := c.ResponseWriter.Write(p)
	c.ResponseWriter.(http.Flusher).Flush()
	if c.left == 0 {
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// ranges are the Range headers asked for, "" for the whole.
func (h *host) ranges() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	got := []string{}
	for _, r := range h.asked {
		got = append(got, r.Header.Get("Range"))
	}
	return got
}
