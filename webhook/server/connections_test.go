package server

import (
	"net"
	"net/http"
	"testing"
	"time"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/webhook/certs"
)

// TestPeers: what one machine can choose among counts as one peer.
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

// TestFixedLimits: what no flag changes is as the reference says. It compares settings, since waiting for them takes minutes.
func TestFixedLimits(t *testing.T) {
	options, err := Options{Scheme: k8sruntime.NewScheme(), Certificates: certs.NewFiles("a", "b", nil)}.orDefault()
	if err != nil {
		t.Fatal(err)
	}
	e, err := listen(t.Context(), "conversions", "127.0.0.1:0", room{options.Connections, options.ConnectionsOfPeer}, http.NotFoundHandler(), options.Log)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	e.protect(&options)
	for what, limit := range map[string][2]time.Duration{
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
	if got := e.listener.(*connections).room; got != (room{4096, 1024}) {
		t.Errorf("there is room for %+v", got)
	}
}
