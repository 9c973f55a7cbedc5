package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/certs"
	"github.com/stratakube/strata/webhook/engine"
)

// TestPeers checks that all addresses that one machine can choose count as one peer.
func TestPeers(t *testing.T) {
	for _, test := range []struct {
		reason, one, other string
		same               bool
	}{
		{"another port", "10.0.0.1", "10.0.0.1", true},
		{"another address", "10.0.0.1", "10.0.0.2", false},
		{"the same address, written as one of IPv6", "10.0.0.1", "::ffff:10.0.0.1", true},
		{"another address, written as one of IPv6", "::ffff:10.0.0.2", "::ffff:10.0.0.1", false},
		{"an address of the same network", "2001:db8::1", "2001:db8::ffff:1", true},
		{"another network", "2001:db8::1", "2001:db8:0:1::1", false},
	} {
		one := peerOf(&net.TCPAddr{IP: net.ParseIP(test.one), Port: 1})
		other := peerOf(&net.TCPAddr{IP: net.ParseIP(test.other), Port: 2})
		if (one == other) != test.same {
			t.Errorf("%s: %s and %s", test.reason, one, other)
		}
	}
}

// TestFixedLimits checks that limits without a flag are those of the reference. It compares
// settings, since waiting for timeouts takes minutes.
func TestFixedLimits(t *testing.T) {
	options, err := Options{Scheme: k8sruntime.NewScheme(), Certificates: certs.NewFiles("a", "b", nil)}.orDefault()
	if err != nil {
		t.Fatal(err)
	}
	e, err := listen(t.Context(), "conversions", "127.0.0.1:0", connectionLimit{options.Connections, options.ConnectionsOfPeer}, http.NotFoundHandler(), options.Log)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	e.protect(&options)
	config, err := (&flags{kubeconfig: Kubeconfig(t, "http://127.0.0.1:1")}).cluster()
	if err != nil {
		t.Fatal(err)
	}
	for what, limit := range map[string][2]time.Duration{
		"API server": {config.Timeout, 30 * time.Second}, "drain": {options.Drain, 30 * time.Second},
		"ping": {e.server.HTTP2.SendPingTimeout, 30 * time.Second}, "answer to it": {e.server.HTTP2.PingTimeout, 15 * time.Second},
		"header": {e.server.ReadHeaderTimeout, 10 * time.Second}, "request": {e.server.ReadTimeout, 30 * time.Second},
		"answer": {e.server.WriteTimeout, time.Minute}, "idle connection": {e.server.IdleTimeout, 3 * time.Minute},
	} {
		if limit[0] != limit[1] {
			t.Errorf("%s: %s, and the reference says %s", what, limit[0], limit[1])
		}
	}
	h2 := e.server.HTTP2
	if h2.MaxConcurrentStreams != 250 || h2.MaxReceiveBufferPerConnection != 256<<10 || h2.MaxReceiveBufferPerStream != 256<<10 || e.server.MaxHeaderBytes != 64<<10 {
		t.Errorf("HTTP/2 has %+v, headers %d bytes", h2, e.server.MaxHeaderBytes)
	}
	if got := e.listener.(*connections).limit; got != (connectionLimit{4096, 1024}) {
		t.Errorf("the limits are %+v", got)
	}
	if options.Address != ":9443" || options.MinTLS != tls.VersionTLS12 {
		t.Errorf("it listens on %s, and speaks %s", options.Address, tls.VersionName(options.MinTLS))
	}
}

// TestGivenOptionsStay checks that defaults replace only options that are not set.
func TestGivenOptionsStay(t *testing.T) {
	given := Options{
		Scheme: k8sruntime.NewScheme(), Certificates: certs.NewFiles("a", "b", nil), Address: "127.0.0.1:1", MinTLS: tls.VersionTLS13,
		Connections: 1, ConnectionsOfPeer: 1, Drain: 1, Log: slog.New(slog.DiscardHandler),
	}
	got, err := given.orDefault()
	if err != nil {
		t.Fatal(err)
	}
	if got.Address != given.Address || got.MinTLS != given.MinTLS || got.Connections != 1 || got.ConnectionsOfPeer != 1 || got.Drain != 1 || got.Log != given.Log {
		t.Errorf("%+v became %+v", given, got)
	}
}

// TestRoomForConnections runs a table of connections that open and close, in order.
func TestRoomForConnections(t *testing.T) {
	peer := func(name string) netip.Prefix { return netip.PrefixFrom(netip.MustParseAddr(name), 32) }
	a, b, c := peer("10.0.0.1"), peer("10.0.0.2"), peer("10.0.0.3")
	listener := bounded(nil, connectionLimit{total: 3, perPeer: 2}, slog.New(slog.DiscardHandler))
	for i, step := range []struct {
		reason string
		leaves bool
		peer   netip.Prefix
		isIn   bool
	}{
		{"the first of a peer", false, a, true},
		{"the last that it may have", false, a, true},
		{"one too many of it", false, a, false},
		{"the last of all", false, b, true},
		{"one too many of all", false, c, false},
		{"one that goes", true, a, false},
		{"another in its place", false, c, true},
		{"again one too many of all", false, a, false},
	} {
		if step.leaves {
			listener.leave(step.peer)
		} else if got := listener.enter(step.peer); got != step.isIn {
			t.Errorf("step %d, %s: let in: %v", i, step.reason, got)
		}
	}
	for _, p := range []netip.Prefix{a, b, c} {
		listener.leave(p)
	}
	if listener.open != 0 || len(listener.peers) != 0 {
		t.Errorf("%d connections of %v are counted at the end", listener.open, listener.peers)
	}
}

// TestWarningsOfConnectionsAreFew checks that there is one warning in ten seconds, however many
// connections are closed.
func TestWarningsOfConnectionsAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		listener := bounded(nil, connectionLimit{}, slog.New(slog.NewTextHandler(&log, nil)))
		for _, pause := range []time.Duration{0, time.Second, 9 * time.Second, 1, 10 * time.Second} {
			time.Sleep(pause)
			listener.enter(netip.Prefix{})
		}
		if got := strings.Count(log.String(), "too many connections"); got != 2 {
			t.Errorf("%d warnings:\n%s", got, &log)
		}
	})
}

// TestReadiness checks that the answer reports everything that is missing, and only the end while
// the server ends.
func TestReadiness(t *testing.T) {
	failed := errors.New("no way")
	for _, test := range []struct {
		reason      string
		test        func(context.Context) error // nil if it has not ended
		certificate error
		ending      bool
		want        string
	}{
		{"all is well", func(context.Context) error { return nil }, nil, false, ""},
		{"the self-test runs", nil, nil, false, "the self-test has not ended"},
		{"it has failed", func(context.Context) error { return failed }, nil, false, "the self-test failed: no way"},
		{"there is no certificate", func(context.Context) error { return nil }, failed, false, "the certificate is not ready: no way"},
		{"both", func(context.Context) error { return failed }, failed, false, "the self-test failed: no way\nthe certificate is not ready: no way"},
		{"the server ends", nil, failed, true, "shutting down"},
	} {
		r := &readiness{certificates: certificate{ready: test.certificate}}
		if test.test != nil {
			_ = r.test(t.Context(), test.test)
		}
		r.ending.Store(test.ending)
		w := httptest.NewRecorder()
		r.probes().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		got := strings.TrimSpace(w.Body.String())
		if (w.Code == http.StatusOK) != (test.want == "") || test.want != "" && got != test.want {
			t.Errorf("%s: status %d: %s", test.reason, w.Code, got)
		}
	}
}

// certificate is a source without a certificate.
type certificate struct {
	ready error
	start func(context.Context) error
}

func (certificate) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return nil, errors.New("there is none")
}
func (c certificate) Start(ctx context.Context) error { return c.start(ctx) }
func (c certificate) Ready() error                    { return c.ready }
func (certificate) NotAfter() time.Time               { return time.Time{} }

// without is an engine that cannot convert the kinds that it serves.
type without struct{}

func (without) Kinds() []engine.Kind {
	return []engine.Kind{{GroupKind: schema.GroupKind{Kind: "Room"}, Versions: []string{"v1", "v2"}, Hub: "v2"}}
}
func (without) Converter(engine.Pair) engine.Converter { return nil }

// TestSelfTestsThatFailAreLogged checks that failures are logged, unless the process has ended
// meanwhile.
func TestSelfTestsThatFailAreLogged(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		reason string
		ctx    context.Context
		engine engine.Engine
		logged bool
	}{
		{"one that passes", t.Context(), engine.First(), false},
		{"one that fails", t.Context(), without{}, true},
		{"one that was interrupted", ended, without{}, false},
	} {
		var log bytes.Buffer
		p := &process{options: Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, handler: webhook.New(test.engine, webhook.Options{}), ready: &readiness{}}
		if err := p.test(test.ctx); err != nil || strings.Contains(log.String(), "the self-test failed") != test.logged {
			t.Errorf("%s: %v, logged %s", test.reason, err, &log)
		}
	}
}

// TestFailedComponentEndsServer checks that the server ends at once, without the time for load
// balancers.
func TestFailedComponentEndsServer(t *testing.T) {
	failed := errors.New("no way")
	err := Run(t.Context(), Options{
		Scheme: k8sruntime.NewScheme(), Certificates: certificate{start: func(context.Context) error { return failed }},
		Address: "127.0.0.1:0", LameDuck: time.Hour,
	})
	if !errors.Is(err, failed) {
		t.Errorf("error is %v", err)
	}
}

// TestNothingListensAfterStartThatFails checks that all addresses are free again.
func TestNothingListensAfterStartThatFails(t *testing.T) {
	for _, wrong := range []string{"metrics", "probes"} {
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := free.Addr().String()
		_ = free.Close()
		options := Options{Scheme: k8sruntime.NewScheme(), Certificates: certificate{}, Address: address}
		if wrong == "metrics" {
			options.MetricsAddress = "here"
		} else {
			options.ProbeAddress = "here"
		}
		if err := Run(t.Context(), options); err == nil || !strings.Contains(err.Error(), "listen for "+wrong) {
			t.Errorf("error is %v", err)
		}
		again, err := net.Listen("tcp", address)
		if err != nil {
			t.Errorf("after %s failed: %v", wrong, err)
			continue
		}
		_ = again.Close()
	}
}
