package main

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"
)

// senders are the ways to each handler, by transport and in the order of the handlers.
func (c *contest) senders() (all map[string][]send, end func()) {
	all = map[string][]send{}
	server := httptest.NewUnstartedServer(c.mux())
	server.EnableHTTP2 = true
	server.Config.ReadTimeout, server.Config.WriteTimeout = time.Minute, time.Minute
	server.StartTLS()
	two, one := server.Client(), &http.Client{Transport: oldTransport(server)}
	var many []*http.Client
	for range 16 {
		many = append(many, client(server, false, false))
	}
	fresh, resumed := client(server, true, false), client(server, true, true)
	for _, h := range c.handlers {
		address := server.URL + "/" + url.PathEscape(h.name)
		all[inProcess] = append(all[inProcess], direct(h))
		all[http2] = append(all[http2], through(two, address, 2))
		all[http2Many] = append(all[http2Many], inTurn(many, address))
		all[http2New] = append(all[http2New], through(fresh, address, 2))
		all[http2Resumed] = append(all[http2Resumed], through(resumed, address, 2))
		all[http1] = append(all[http1], through(one, address, 1))
	}
	return all, func() {
		one.CloseIdleConnections()
		two.CloseIdleConnections()
		for _, c := range many {
			c.CloseIdleConnections()
		}
		server.Close()
	}
}

func (c *contest) mux() http.Handler {
	mux := http.NewServeMux()
	for _, h := range c.handlers {
		mux.Handle("/"+h.name, h)
	}
	return mux
}

// client returns a client of HTTP/2 with connections of its own. If it is once, each request has its
// connection, which resumes the session of the last one if resumes is set.
func client(server *httptest.Server, once, resumes bool) *http.Client {
	config := &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	if resumes {
		config.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true, DisableKeepAlives: once}}
}

// inTurn sends each review through the next client.
func inTurn(clients []*http.Client, address string) send {
	var all []send
	for _, c := range clients {
		all = append(all, through(c, address, 2))
	}
	next := 0
	return func(review []byte) error {
		next = (next + 1) % len(all)
		return all[next](review)
	}
}

func oldTransport(server *httptest.Server) *http.Transport {
	config := server.Client().Transport.(*http.Transport).TLSClientConfig
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: config.RootCAs, NextProtos: []string{"http/1.1"}}}
}

// direct calls a handler.
func direct(h http.Handler) send {
	w := &sink{header: http.Header{}}
	return func(review []byte) error {
		w.bytes = 0
		r, err := http.NewRequest(http.MethodPost, "/convert", bytes.NewReader(review))
		if err != nil {
			return err
		}
		h.ServeHTTP(w, r)
		return isAnswer(w.bytes, review)
	}
}

// isAnswer demands as much as an answer at least has.
func isAnswer(got int64, review []byte) error {
	if got < int64(len(review))/2 {
		return fmt.Errorf("an answer of %d bytes for a review of %d", got, len(review))
	}
	return nil
}

// sink counts what is written.
type sink struct {
	header http.Header
	bytes  int64
}

func (s *sink) Header() http.Header { return s.header }
func (s *sink) WriteHeader(int)     {}
func (s *sink) Write(data []byte) (int, error) {
	s.bytes += int64(len(data))
	return len(data), nil
}

// through sends reviews to a server, one after another over one connection.
func through(client *http.Client, address string, major int) send {
	var answer bytes.Buffer
	return func(review []byte) error {
		response, err := client.Post(address, "application/json", bytes.NewReader(review))
		if err != nil {
			return err
		}
		defer response.Body.Close()
		answer.Reset()
		if _, err := io.Copy(&answer, response.Body); err != nil {
			return err
		}
		if response.ProtoMajor != major {
			return fmt.Errorf("the answer came over %s", response.Proto)
		}
		return isAnswer(int64(answer.Len()), review)
	}
}
