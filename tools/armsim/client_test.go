package armsim_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/armsim"
)

const (
	group  = "/subscriptions/S/resourceGroups/G"
	ann    = group + "/providers/Microsoft.Crm/persons/ann"
	person = `{"location":"here","properties":{"legalName":"Ann Lee","familyName":"Lee"}}`
	v2019  = "2019-09-09"
	v2015  = "2015-05-05"
)

var crm = filepath.Join("..", "..", "schemas", "crm")

// server is a simulator that is served, and a client of it.
type server struct {
	*testing.T
	sim *armsim.Simulator
	url string
}

func start(t *testing.T, o armsim.Options) *server {
	t.Helper()
	if o.Schemas == nil {
		o.Schemas = []string{crm}
	}
	sim, err := armsim.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(sim)
	t.Cleanup(func() {
		web.Close()
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	return &server{t, sim, web.URL}
}

// clock is a clock that only the test advances.
type clock struct{ passed atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(1_600_000_000, c.passed.Load()) }

func (c *clock) pass(d time.Duration) { c.passed.Add(int64(d)) }

// reply is a response as the client received it.
type reply struct {
	status int
	header http.Header
	body   map[string]any
	text   string
}

// try calls a path in an API version. Header lines are written "Name: value".
func (s *server) try(method, path, version, body string, header ...string) (reply, error) {
	address := path
	if strings.HasPrefix(path, "/") {
		address = s.url + path
		if version != "" {
			address += "?api-version=" + version
		}
	}
	r, err := http.NewRequestWithContext(s.Context(), method, address, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	r.Header.Set("Authorization", "Bearer s3cret-token")
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if value == "" {
			r.Header.Del(name)
		} else {
			r.Header.Set(name, value)
		}
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return reply{}, err
	}
	got := reply{status: answer.StatusCode, header: answer.Header, text: string(data)}
	if len(data) > 0 {
		err = json.Unmarshal(data, &got.body)
	}
	return got, err
}

func (s *server) do(method, path, version, body string, header ...string) reply {
	s.Helper()
	got, err := s.try(method, path, version, body, header...)
	if err != nil {
		s.Fatalf("%s %s: %v", method, path, err)
	}
	return got
}

// want fails the test unless a call has the status and, if it is an error, the code.
func (s *server) want(status int, code, method, path, version, body string, header ...string) reply {
	s.Helper()
	got := s.do(method, path, version, body, header...)
	if got.status != status || got.code() != code {
		s.Fatalf("%s %s %s: %d %s, want %d %s\n%s", method, path, version, got.status, got.code(), status, code, got.text)
	}
	return got
}

// code is that of an error. A failed operation also has one, and is no error to the client that
// polls it.
func (r reply) code() string {
	if r.status < 400 {
		return ""
	}
	return r.in("error", "code")
}

// in returns the value at a path of the body, as a string or as JSON.
func (r reply) in(path ...string) string {
	var at any = r.body
	for _, name := range path {
		m, _ := at.(map[string]any)
		at = m[name]
	}
	if text, ok := at.(string); ok || at == nil {
		return text
	}
	data, _ := json.Marshal(at)
	return string(data)
}

func (s *server) stats() armsim.Stats {
	s.Helper()
	stats, err := s.sim.Stats()
	if err != nil {
		s.Fatal(err)
	}
	return stats
}

// eventually waits until something is so.
func (s *server) eventually(what string, so func() bool) {
	s.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if so() {
			return
		}
	}
	s.Fatalf("it never comes about that %s", what)
}
