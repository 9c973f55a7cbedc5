package armtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Say is an expected call, and the answer to it.
type Say struct {
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
	script []Say
	calls  []string
}

// Start serves http on this machine.
func Start(t testing.TB, script ...Say) *Server { return start(t, (*httptest.Server).Start, script) }

// StartTLS serves https with a certificate that only the server's own client trusts.
func StartTLS(t testing.TB, script ...Say) *Server {
	return start(t, (*httptest.Server).StartTLS, script)
}

func start(t testing.TB, begin func(*httptest.Server), script []Say) *Server {
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
	say := s.script[0]
	s.script = s.script[1:]
	s.check(r, say)
	for line := range strings.Lines(s.fill(say.Header)) {
		name, value, _ := strings.Cut(line, ":")
		w.Header().Set(name, strings.TrimSpace(value))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(say.Status)
	_, _ = io.WriteString(w, s.fill(say.Body))
}

func (s *Server) fill(text string) string { return strings.ReplaceAll(text, "{url}", s.URL) }

func (s *Server) check(r *http.Request, say Say) {
	for line := range strings.Lines(say.Wants) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if got := r.Header.Get(name); got != strings.TrimSpace(value) {
			s.t.Errorf("%s: header %s is %q, want %q", say.Call, name, got, strings.TrimSpace(value))
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("%s: %v", say.Call, err)
	}
	if say.Sent != "" && say.Sent != string(body) {
		s.t.Errorf("%s: sent\n%s\nwant\n%s", say.Call, body, say.Sent)
	}
}
