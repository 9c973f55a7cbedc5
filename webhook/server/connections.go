package server

import (
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

// connectionLimit is the largest number of connections: in total, and for one peer.
type connectionLimit struct{ total, perPeer int }

// connections is a listener that bounds open connections: in total, and for one peer. It closes
// those beyond the limit at once, so that a peer that opens many does not block others.
type connections struct {
	net.Listener
	limit connectionLimit
	log   *slog.Logger

	mu     sync.Mutex
	open   int
	peers  map[netip.Prefix]int
	logged time.Time
}

func bounded(l net.Listener, limit connectionLimit, log *slog.Logger) *connections {
	return &connections{Listener: l, limit: limit, log: log, peers: map[netip.Prefix]int{}}
}

// Accept returns the next connection within the limit.
func (c *connections) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		peer := peerOf(conn.RemoteAddr())
		if c.enter(peer) {
			return &counted{Conn: conn, leave: sync.OnceFunc(func() { c.leave(peer) })}, nil
		}
		_ = conn.Close()
	}
}

// peerOf returns the network that counts as one peer: an IPv4 address, or an IPv6 network of 64
// bits, which one machine usually has.
func peerOf(address net.Addr) netip.Prefix {
	parsed, err := netip.ParseAddrPort(address.String())
	if err != nil {
		return netip.Prefix{}
	}
	bits, ip := 32, parsed.Addr().Unmap().WithZone("")
	if ip.Is6() {
		bits = 64
	}
	peer, _ := ip.Prefix(bits) // no error: bits is at most the length of the address
	return peer
}

func (c *connections) enter(peer netip.Prefix) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open >= c.limit.total || c.peers[peer] >= c.limit.perPeer {
		c.warn(peer)
		return false
	}
	c.open++
	c.peers[peer]++
	return true
}

// warn logs a closed connection, at most every ten seconds.
func (c *connections) warn(peer netip.Prefix) {
	if now := time.Now(); now.Sub(c.logged) > 10*time.Second {
		c.logged = now
		c.log.Warn("too many connections", "peer", peer.String(), "ofPeer", c.peers[peer], "all", c.open)
	}
}

func (c *connections) leave(peer netip.Prefix) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	if c.peers[peer]--; c.peers[peer] == 0 {
		delete(c.peers, peer)
	}
}

// counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	leave func()
}

// Close closes the connection and makes room for another.
func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
