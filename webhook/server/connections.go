package server

import (
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"
)

// room is how many connections there may be: all, and those of one peer.
type room struct{ all, ofPeer int }

// connections is a listener that bounds how many connections are open: all, and those of one peer. It closes what is too many at
// once, so that a peer that opens more keeps nobody else waiting.
type connections struct {
	net.Listener
	room room
	log  *slog.Logger

	mu     sync.Mutex
	open   int
	peers  map[netip.Prefix]int
	logged time.Time
}

func bounded(l net.Listener, room room, log *slog.Logger) *connections {
	return &connections{Listener: l, room: room, log: log, peers: map[netip.Prefix]int{}}
}

// Accept returns the next connection for which there is room.
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

// peerOf is what counts as one peer: an address, or the network of 64 bits that one machine has in IPv6.
func peerOf(address net.Addr) netip.Prefix {
	parsed, err := netip.ParseAddrPort(address.String())
	if err != nil {
		return netip.Prefix{}
	}
	bits, ip := 32, parsed.Addr().Unmap().WithZone("")
	if ip.Is6() {
		bits = 64
	}
	peer, _ := ip.Prefix(bits) // which is within the length of the address
	return peer
}

func (c *connections) enter(peer netip.Prefix) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open >= c.room.all || c.peers[peer] >= c.room.ofPeer {
		c.warn(peer)
		return false
	}
	c.open++
	c.peers[peer]++
	return true
}

// warn logs a connection that was closed, once in a while.
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

// counted is a connection that is counted until it is closed.
type counted struct {
	net.Conn
	leave func()
}

// Close closes the connection and makes room for another.
func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
