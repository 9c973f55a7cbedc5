package pageserver_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/generator/internal/pageserver"
)

// serve serves two pages until the test ends it, and returns their address.
func serve(t *testing.T) (url string, end func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	urls, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		pages := []pageserver.Page{{Path: "index.html", Body: []byte("index")}, {Path: "a b.js", Body: []byte("script")}}
		ended <- pageserver.Serve(ctx, pages, "index.html", 0, func(url string) error {
			urls <- url
			return nil
		})
	}()
	end = func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(time.Minute):
			return errors.New("it serves on")
		}
	}
	select {
	case url = <-urls:
		return url, end
	case err := <-ended:
		t.Fatal(err)
	}
	return "", end
}

// ask sends a request, and returns the answer.
func ask(t *testing.T, method, url, host string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		request.Host = host
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

// TestServe answers requests for the pages, and no others.
func TestServe(t *testing.T) {
	url, end := serve(t)
	port := strings.TrimSuffix(url[strings.LastIndex(url, ":"):], "/")
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Errorf("it listens on %s", url)
	}
	for _, c := range []struct {
		method, path, host string
		code               int
		body, kind         string
	}{
		{"GET", "", "", 200, "index", "text/html; charset=utf-8"},
		{"GET", "index.html", "", 200, "index", "text/html; charset=utf-8"},
		{"GET", "a%20b.js", "localhost" + port, 200, "script", "text/javascript; charset=utf-8"},
		{"HEAD", "index.html", "", 200, "", "text/html; charset=utf-8"},
		{"GET", "index.html", "attacker.example.com" + port, 421, "this server", ""},
		{"GET", "index.html", "attacker.example.com", 421, "this server", ""},
		{"GET", "index.html", "localhost", 421, "this server", ""},
		{"GET", "index.html", "127.0.0.1:1", 421, "this server", ""},
		{"POST", "index.html", "", 405, "pages can", ""},
		{"GET", "../server.go", "", 404, "there is no", ""},
		{"GET", "%2e%2e/server.go", "", 404, "there is no", ""},
		{"GET", "a", "", 404, "there is no", ""},
	} {
		response, body := ask(t, c.method, url+c.path, c.host)
		if response.StatusCode != c.code || !strings.HasPrefix(body, c.body) || c.kind != "" && response.Header.Get("Content-Type") != c.kind {
			t.Errorf("%s %s of %q: %d %s %q", c.method, c.path, c.host, response.StatusCode, response.Header.Get("Content-Type"), body)
		}
		if got := response.Header.Get("X-Frame-Options"); got != "DENY" {
			t.Errorf("%s %s: other sites can have the page in a frame: %q", c.method, c.path, got)
		}
	}
	if err := end(); err != nil {
		t.Errorf("its end: %v", err)
	}
}

// TestServeFails returns the error of a port in use, and that of the function that gets the
// address.
func TestServeFails(t *testing.T) {
	url, end := serve(t)
	defer func() { _ = end() }()
	var port int
	for _, digit := range strings.TrimSuffix(url[strings.LastIndex(url, ":")+1:], "/") {
		port = 10*port + int(digit-'0')
	}
	if err := pageserver.Serve(t.Context(), nil, "", port, nil); err == nil {
		t.Error("two servers have one port")
	}
	broken := errors.New("broken")
	if err := pageserver.Serve(t.Context(), nil, "", 0, func(string) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}
