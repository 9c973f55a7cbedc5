package armtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Exchange is an expected call, and the answer to it.
type Exchange struct {
	Call   string // the method and the path with its query: GET /subscriptions/s?api-version=1
	Status int
	Header string // lines such as Retry-After: 3; {url} is the server
	Body   string // {url} is the server
	Wants  string // lines that the request's header has; a line ending in a colon is one that it does not have
	Sent   string // the body that the request has, byte for byte; anything where it is empty
}

// Server answers by a script, and stores the calls.
type Server struct {
	*httptest.Server
	t      testing.TB
	mu     sync.Mutex
	script []Exchange
	calls  []string
}

// Start serves http on this machine.
func Start(t testing.TB, script ...Exchange) *Server {
	return start(t, (*httptest.Server).Start, script)
}

// StartTLS serves https with a certificate that only the server's own client trusts.
func StartTLS(t testing.TB, script ...Exchange) *Server {
	return start(t, (*httptest.Server).StartTLS, script)
}

func start(t testing.TB, begin func(*httptest.Server), script []Exchange) *Server {
	s := &Server{t: t, script: script}
	s.Server = httptest.NewUnstartedServer(s)
	begin(s.Server)
	t.Cleanup(func() {
		s.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, left := range s.script {
			t.Errorf("never called: %s", left.Call)
		}
	})
	return s
}

// Calls returns the calls so far, in the form of Say.Call.
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.calls...)
}

// ServeHTTP answers with the next entry of the script. It fails the test on any other call.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := r.Method + " " + r.URL.RequestURI()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call)
	if len(s.script) == 0 || s.script[0].Call != call {
		s.t.Errorf("unexpected call %s\nleft: %v", call, s.script)
		http.Error(w, "unexpected", http.StatusTeapot)
		return
	}
	exchange := s.script[0]
	s.script = s.script[1:]
	s.check(r, exchange)
	for line := range strings.Lines(s.fill(exchange.Header)) {
		name, value, _ := strings.Cut(line, ":")
		w.Header().Set(name, strings.TrimSpace(value))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(exchange.Status)
	_, _ = io.WriteString(w, s.fill(exchange.Body))
}

func (s *Server) fill(text string) string { return strings.ReplaceAll(text, "{url}", s.URL) }

func (s *Server) check(r *http.Request, exchange Exchange) {
	for line := range strings.Lines(exchange.Wants) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if got := r.Header.Get(name); got != strings.TrimSpace(value) {
			s.t.Errorf("%s: header %s is %q, want %q", exchange.Call, name, got, strings.TrimSpace(value))
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("%s: %v", exchange.Call, err)
	}
	if exchange.Sent != "" && exchange.Sent != string(body) {
		s.t.Errorf("%s: sent\n%s\nwant\n%s", exchange.Call, body, exchange.Sent)
	}
}
