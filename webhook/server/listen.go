package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// endpoint is an address and the server that listens there.
type endpoint struct {
	name     string
	listener net.Listener
	server   *http.Server
	secure   bool
}

// listen opens an endpoint; for an empty address it returns nil.
func listen(ctx context.Context, name, address string, limit connectionLimit, h http.Handler, log *slog.Logger) (*endpoint, error) {
	if address == "" {
		return nil, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for %s: %w", name, err)
	}
	return &endpoint{name: name, listener: bounded(listener, limit, log), server: &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}, nil
}

// protect enables TLS, and HTTP/2 as well as HTTP/1.1.
func (e *endpoint) protect(options *Options) {
	e.secure = true
	e.server.TLSConfig = &tls.Config{
		MinVersion:     options.MinTLS,
		GetCertificate: options.Certificates.GetCertificate,
	}
	e.server.HTTP2 = &http.HTTP2Config{
		MaxConcurrentStreams: maxStreams,
		// Bytes that have arrived on streams but were not read yet use memory that the handler does
		// not count.
		MaxReceiveBufferPerConnection: receiveBuffer,
		MaxReceiveBufferPerStream:     receiveBuffer,
		PingTimeout:                   15 * time.Second,
		SendPingTimeout:               30 * time.Second,
	}
}

// serve serves until the endpoint is shut down.
func (e *endpoint) serve() error {
	if e == nil {
		return nil
	}
	serve := e.server.Serve
	if e.secure {
		serve = func(l net.Listener) error { return e.server.ServeTLS(l, "", "") }
	}
	if err := serve(e.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", e.name, err)
	}
	return nil
}

// drain accepts no more connections, and waits for running requests. After the limit it closes the
// rest.
func (e *endpoint) drain(limit time.Duration) error {
	if e == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := e.server.Shutdown(ctx); err != nil {
		_ = e.server.Close()
		return fmt.Errorf("%s were not all answered within %s: %w", e.name, limit, err)
	}
	return nil
}

func (e *endpoint) address() net.Addr {
	if e == nil {
		return nil
	}
	return e.listener.Addr()
}

// where formats the address.
func (e *endpoint) where() string {
	if e == nil {
		return off
	}
	return e.listener.Addr().String()
}

func (e *endpoint) close() {
	if e != nil {
		_ = e.listener.Close()
	}
}
