package webhook

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errBusy reports that there is no room. The client may try again.
var errBusy = errors.New("too many reviews at once")

// gate bounds the memory and the conversions of all reviews together.
//
// A review that waits for its client has memory only for the bytes that have arrived. Memory for
// conversions comes from pools that no waiting review uses, so that slow clients cannot empty
// them. Small buffers and small objects have separate pools. When a pool is empty, the gate cuts
// off the client that it has waited for longest.
type gate struct {
	limits Limits
	slots  pool
	pools  [pools]pool
	sizes  [pools]int64

	mu   sync.Mutex
	open map[*exchange]struct{}
}

// The pools of memory have InFlightBytes together.
const (
	smallBuffers = iota // buffers of reviews up to smallBuffer
	largeBuffers
	smallWork // conversions of objects up to smallObject
	largeWork
	pools
)

const (
	// firstBuffer is the size of the buffers that every open review has. Only larger ones come from
	// a pool.
	firstBuffer = 32 << 10
	smallBuffer = 128 << 10
	smallObject = 64 << 10
	// workFactor is the least memory of a conversion for each byte of its object: 16 bytes in
	// either engine, and one for the result.
	workFactor = 17
)

// memoryOfObject is the least memory in flight for each byte that an object may have.
const memoryOfObject = 32

// shares divides InFlightBytes among the pools, in sixteenths. The largest object fits if
// InFlightBytes is memoryOfObject times its size.
var shares = [pools]int64{smallBuffers: 2, largeBuffers: 3, smallWork: 2, largeWork: 9}

// patience is how long the gate waits for a client before it may cut it off for others.
const patience = 100 * time.Millisecond

// wait is how long a review waits for room.
const wait = 2 * time.Second

func newGate(l Limits) *gate {
	g := &gate{limits: l, open: map[*exchange]struct{}{}}
	g.slots.free = int64(l.InFlight)
	least := [pools]int64{
		smallBuffers: smallBuffer, largeBuffers: 2*l.ObjectBytes + 8*smallBuffer,
		smallWork: workFactor * smallObject, largeWork: workFactor * l.ObjectBytes,
	}
	for i := range g.pools {
		g.sizes[i] = max(l.InFlightBytes*shares[i]/16, least[i])
		g.pools[i].free = g.sizes[i]
	}
	return g
}

// begin admits a review. If too many are open, it cuts off the one that has waited longest for
// its client.
func (g *gate) begin(x *exchange) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.open) >= g.limits.Open {
		slowest := g.slowest(func(*exchange) bool { return true })
		if slowest == nil {
			return errBusy
		}
		slowest.meter.Cut()
		delete(g.open, slowest)
	}
	g.open[x] = struct{}{}
	return nil
}

func (g *gate) end(x *exchange) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, x)
}

// slowest returns the review that has waited longest for its client, and longer than patience;
// nil if there is none.
func (g *gate) slowest(among func(*exchange) bool) (found *exchange) {
	longest := patience
	for x := range g.open {
		if !among(x) {
			continue
		}
		if waited := x.meter.Waited(); waited > longest {
			found, longest = x, waited
		}
	}
	return found
}

// acquire takes memory from a pool for a review, and waits for it if necessary.
func (g *gate) acquire(ctx context.Context, from int, bytes int64) error {
	return g.pools[from].acquire(ctx, bytes, func() { g.starve(from) })
}

// starve cuts off the slowest client whose review has memory of a pool.
func (g *gate) starve(of int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if x := g.slowest(func(x *exchange) bool { return x.reserved[of].Load() > 0 }); x != nil {
		x.meter.Cut()
	}
}

// pool is an amount of memory or of slots. It serves requests in order.
type pool struct {
	mu    sync.Mutex
	free  int64
	queue []*waiter
}

type waiter struct {
	amount int64
	ready  chan struct{} // closed when the amount is acquired
}

// acquire takes an amount. While it waits, it calls starve repeatedly, which may make other
// reviews release their amounts.
func (p *pool) acquire(ctx context.Context, amount int64, starve func()) error {
	w := p.ask(amount)
	if w == nil {
		return nil
	}
	starving := time.NewTicker(patience)
	defer starving.Stop()
	end := time.NewTimer(wait)
	defer end.Stop()
	for {
		starve()
		select {
		case <-w.ready:
			return nil
		case <-starving.C:
		case <-end.C:
			return p.leave(w, errBusy)
		case <-ctx.Done():
			return p.leave(w, context.Cause(ctx))
		}
	}
}

// ask takes an amount at once and returns nil, or returns a new entry of the queue.
func (p *pool) ask(amount int64) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 && p.free >= amount {
		p.free -= amount
		return nil
	}
	w := &waiter{amount, make(chan struct{})}
	p.queue = append(p.queue, w)
	return w
}

// leave removes an entry from the queue and returns reason. It returns nil if the amount was
// acquired meanwhile.
func (p *pool) leave(w *waiter, reason error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.queue {
		if p.queue[i] == w {
			p.queue = append(p.queue[:i], p.queue[i+1:]...)
			p.serve()
			return reason
		}
	}
	return nil
}

// force counts memory that is already in use, even if there is no room for it.
func (p *pool) force(amount int64) { p.release(-amount) }

func (p *pool) release(amount int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free += amount
	p.serve()
}

// serve grants requests in order while the pool has enough.
func (p *pool) serve() {
	for len(p.queue) > 0 && p.queue[0].amount <= p.free {
		p.free -= p.queue[0].amount
		close(p.queue[0].ready)
		p.queue = p.queue[1:]
	}
}
