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
	for _, h := range c.handlers {
		address := server.URL + "/" + url.PathEscape(h.name)
		all[inProcess] = append(all[inProcess], direct(h))
		all[http2] = append(all[http2], through(two, address, 2))
		all[http1] = append(all[http1], through(one, address, 1))
	}
	return all, func() {
		one.CloseIdleConnections()
		two.CloseIdleConnections()
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
