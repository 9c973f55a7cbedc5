package server

import (
	"net"
	"testing"
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
