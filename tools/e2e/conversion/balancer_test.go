package conversion_test

import (
	"context"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/testcluster/loopback"
)

// balancer gives each connection to the next of its backends, and to the one after if that does
// not listen. It does not inspect the traffic.
type balancer struct {
	listener net.Listener
	mutex    sync.Mutex
	backends []string
	turn     int
}

func newBalancer(t testing.TB) *balancer {
	t.Helper()
	listener, err := net.Listen("tcp", loopback.AnyPort)
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{listener: listener}
	go b.serve()
	return b
}

func (b *balancer) serve() {
	for {
		client, err := b.listener.Accept()
		if err != nil {
			return
		}
		go b.connect(client)
	}
}

// send makes new connections go to these backends. Those that are open stay.
func (b *balancer) send(backends ...string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.backends = slices.Clone(backends)
}

// order is the order in which a connection tries backends.
func (b *balancer) order() []string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if len(b.backends) == 0 {
		return nil
	}
	b.turn = (b.turn + 1) % len(b.backends)
	return append(slices.Clone(b.backends[b.turn:]), b.backends[:b.turn]...)
}

func (b *balancer) connect(client net.Conn) {
	defer client.Close()
	for _, address := range b.order() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		backend, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		cancel()
		if err == nil {
			join(client, backend)
			return
		}
	}
}

// join copies both ways until one side ends.
func join(client, backend net.Conn) {
	defer backend.Close()
	done := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{client, backend}, {backend, client}} {
		go func() {
			_, _ = io.Copy(pair[0], pair[1])
			done <- struct{}{}
		}()
	}
	<-done
}
