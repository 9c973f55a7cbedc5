package patient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// server is an API server whose states follow one another: each is a function that answers.
type server struct {
	t        *testing.T
	states   []state
	requests int // of the state
	bodies   []string
	wrote    int
}

type state struct {
	code  int // of requests; zero breaks the connection
	ready int // of /readyz
	looks int // after which the next state begins
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := s.states[0]
	if r.URL.Path == "/readyz" {
		if s.requests++; s.requests >= now.looks && len(s.states) > 1 {
			s.states, s.requests = s.states[1:], 0
		}
		if now.ready == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(now.ready)
		return
	}
	body, _ := io.ReadAll(r.Body)
	s.bodies = append(s.bodies, string(body))
	if now.code == 0 {
		panic(http.ErrAbortHandler)
	}
	if now.code == http.StatusOK {
		s.wrote++
	}
	w.WriteHeader(now.code)
}

func TestTransport(t *testing.T) {
	const ok, forbidden, missing, internal = http.StatusOK, http.StatusForbidden, http.StatusNotFound, http.StatusInternalServerError
	for name, test := range map[string]struct {
		states   []state
		want     int // zero for an error
		requests int
		waits    bool
	}{
		"an answer":                        {[]state{{code: ok, ready: ok}}, ok, 1, false},
		"a refusal":                        {[]state{{code: forbidden, ready: ok}}, forbidden, 2, false},
		"no such object":                   {[]state{{code: missing, ready: ok}}, missing, 2, false},
		"a failed conversion":              {[]state{{code: internal, ready: ok}}, internal, 1, false},
		"a server that starts":             {[]state{{forbidden, internal, 1}, {missing, internal, 1}, {code: ok, ready: ok}}, ok, 2, true},
		"a server that is away":            {[]state{{0, 0, 2}, {code: ok, ready: ok}}, ok, 2, true},
		"a lost connection":                {[]state{{0, ok, 1}, {code: ok, ready: ok}}, ok, 2, false},
		"a refusal while it became ready":  {[]state{{forbidden, ok, 1}, {code: ok, ready: ok}}, ok, 2, false},
		"a server that does not come back": {[]state{{code: 0, ready: 0}}, 0, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{t: t, states: []state{{code: ok, ready: ok}}}
			at := httptest.NewServer(s)
			defer at.Close()
			waits := false
			p := &Transport{Inner: &http.Transport{DisableKeepAlives: true}, Outage: 2 * time.Second, Waits: func(string) { waits = true }}
			client := &http.Client{Transport: p}
			send := func() (*http.Response, error) {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, at.URL+"/apis", strings.NewReader("body"))
				if err != nil {
					t.Fatal(err)
				}
				return client.Do(r)
			}
			first, err := send()
			if err != nil {
				t.Fatal(err)
			}
			_ = first.Body.Close()
			s.states, s.bodies = test.states, nil
			response, err := send()
			if response != nil {
				_ = response.Body.Close()
			}
			at.Close() // no request is under way any more
			switch {
			case test.want == 0 && err == nil, test.want != 0 && (err != nil || response.StatusCode != test.want):
				t.Fatalf("%v, %v; want %d", response, err, test.want)
			case len(s.bodies) != test.requests, strings.Join(s.bodies, "") != strings.Repeat("body", test.requests):
				t.Errorf("the requests are %q, want %d", s.bodies, test.requests)
			case waits != test.waits:
				t.Errorf("waits is %t", waits)
			}
		})
	}
}

// TestFirstRequest fails at once: its address may be wrong.
func TestFirstRequest(t *testing.T) {
	at := httptest.NewServer(http.NotFoundHandler())
	at.Close()
	p := &Transport{Inner: http.DefaultTransport, Outage: time.Hour}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := p.RoundTrip(r)
	if err == nil {
		_ = response.Body.Close()
		t.Error("it has an answer")
	}
}

// TestContextEnds stops a request that waits.
func TestContextEnds(t *testing.T) {
	s := &server{t: t, states: []state{{code: http.StatusOK, ready: http.StatusOK}}}
	at := httptest.NewServer(s)
	defer at.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	p := &Transport{Inner: &http.Transport{DisableKeepAlives: true}, Outage: time.Hour}
	for _, states := range [][]state{s.states, {{code: 0, ready: 0}}} {
		s.states = states
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := p.RoundTrip(r)
		if err == nil {
			_ = response.Body.Close()
		} else if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Error(err)
		}
	}
}
