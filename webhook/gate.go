package webhook

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errBusy says that there is no room. The client may come back.
var errBusy = errors.New("too many reviews at once")

// gate bounds what all reviews take together.
//
// A review that waits for its client holds what has arrived of it, and no more. What a conversion takes comes out of pools
// that nobody holds while waiting, so that slow clients cannot empty them. Small buffers and small objects have pools of their
// own. Where a pool is empty, the client that was waited for longest is cut off.
type gate struct {
	limits Limits
	slots  pool
	pools  [pools]pool
	sizes  [pools]int64

	mu   sync.Mutex
	open map[*exchange]struct{}
}

// The pools of memory. Together they have InFlightBytes.
const (
	smallBuffers = iota // of reviews under way, up to smallBuffer
	largeBuffers
	smallWork // of conversions, of objects up to smallObject
	largeWork
	pools
)

const (
	// firstBuffer is what every open review has; only what is larger is taken from a pool.
	firstBuffer = 32 << 10
	smallBuffer = 128 << 10
	smallObject = 64 << 10
	// workFactor is what a conversion takes at least for each byte of its object: 16 in either engine, and the result.
	workFactor = 17
)

// memoryOfObject is how much memory must be in flight at least for each byte that an object may have.
const memoryOfObject = 32

// shares are the parts of InFlightBytes that pools have, in sixteenths. What the largest object takes fits into them where
// InFlightBytes is memoryOfObject times its size.
var shares = [pools]int64{smallBuffers: 2, largeBuffers: 3, smallWork: 2, largeWork: 9}

// patience is how long a client is waited for, before it may be cut off for others.
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

// begin lets a review in. Where all are taken, it takes the place of the one whose client has been waited for longest.
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

// slowest returns the review whose client has been waited for longest, and for longer than a good one lets wait; nil if
// there is none.
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

// take takes memory out of a pool for a review, and waits for it if it must.
func (g *gate) take(ctx context.Context, from int, bytes int64) error {
	return g.pools[from].take(ctx, bytes, func() { g.starve(from) })
}

// starve cuts off the slowest client whose review has something of a pool.
func (g *gate) starve(of int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if x := g.slowest(func(x *exchange) bool { return x.holds[of].Load() > 0 }); x != nil {
		x.meter.Cut()
	}
}

// pool is an amount of something, handed out in the order in which it was asked for.
type pool struct {
	mu    sync.Mutex
	free  int64
	queue []*want
}

type want struct {
	amount int64
	ready  chan struct{} // closed when it was taken
}

// take takes an amount. While it waits, it calls starve again and again, which may make others give back what they have.
func (p *pool) take(ctx context.Context, amount int64, starve func()) error {
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

// ask takes an amount at once and returns nil, or else a place in the queue.
func (p *pool) ask(amount int64) *want {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 && p.free >= amount {
		p.free -= amount
		return nil
	}
	w := &want{amount, make(chan struct{})}
	p.queue = append(p.queue, w)
	return w
}

// leave leaves the queue for a reason, unless the turn has come meanwhile.
func (p *pool) leave(w *want, reason error) error {
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

// force counts memory that is in use already, whether there is room or not.
func (p *pool) force(amount int64) { p.give(-amount) }

func (p *pool) give(amount int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free += amount
	p.serve()
}

// serve hands out what there is to those who wait.
func (p *pool) serve() {
	for len(p.queue) > 0 && p.queue[0].amount <= p.free {
		p.free -= p.queue[0].amount
		close(p.queue[0].ready)
		p.queue = p.queue[1:]
	}
}
