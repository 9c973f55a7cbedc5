package webhook

import (
	"fmt"
	"math/bits"
	"sync"

	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/review"
	"github.com/stratakube/strata/webhook/internal/scan"
)

// These methods implement scan.Memory for an exchange, for its reader and its writer. The
// capacity of a buffer determines how much memory it takes from the gate.

// maxPooled is the largest size of buffers that are reused for other reviews.
const maxPooled = 1 << 20

// buffers has unused buffers. The index is the binary logarithm of a capacity that they have at
// least.
var buffers [21]sync.Pool

// class returns the logarithm of the smallest power of two that is at least size.
func class(size int) int { return bits.Len(uint(max(size, 1) - 1)) }

// Get returns a buffer. It waits for room, and fails if there is none in time.
func (x *exchange) Get(size int) ([]byte, error) {
	if size <= firstBuffer {
		return x.first(), nil
	}
	if size <= maxPooled {
		size = 1 << class(size)
	}
	if err := x.acquire(poolOf(size), int64(size)); err != nil {
		return nil, err
	}
	if size <= maxPooled {
		if kept, ok := buffers[class(size)].Get().(*[]byte); ok {
			x.force(poolOf(cap(*kept)), int64(cap(*kept)))
			x.release(poolOf(size), int64(size))
			return (*kept)[:0], nil
		}
	}
	return make([]byte, 0, size), nil
}

// first returns a buffer of the smallest size. Every exchange may have two, which the gate does not
// count.
func (x *exchange) first() []byte {
	if last := len(x.spare) - 1; last >= 0 {
		buf := x.spare[last]
		x.spare = x.spare[:last]
		return buf
	}
	return make([]byte, 0, firstBuffer)
}

// Put takes back a buffer of Get or adopt.
func (x *exchange) Put(buf []byte) {
	switch size := cap(buf); {
	case size == 0:
	case size <= firstBuffer:
		if size == firstBuffer && len(x.spare) < 2 {
			x.spare = append(x.spare, buf[:0])
		}
	default:
		x.release(poolOf(size), int64(size))
		if size <= maxPooled {
			kept := buf[:0]
			buffers[bits.Len(uint(size))-1].Put(&kept)
		}
	}
}

// prepare grows the buffer of the answer for an object of the given size. Most conversions change
// the size little.
func (x *exchange) prepare(bytes int) error {
	size := cap(x.writer.Buffer())
	needed := x.writer.Gathered() + bytes + bytes/4 + 1<<10
	if needed <= size {
		return nil
	}
	larger, err := x.Get(max(needed, 2*size))
	if err != nil {
		return err
	}
	x.Put(x.writer.Move(larger))
	return nil
}

// adopt counts the buffer that a conversion allocated because the given one was too small, and puts
// the given one back.
func (x *exchange) adopt(made, given []byte) {
	if cap(made) == cap(given) {
		return
	}
	if size := cap(made); size > firstBuffer {
		x.force(poolOf(size), int64(size))
	}
	x.Put(given)
}

func poolOf(size int) int {
	if size <= smallBuffer {
		return smallBuffers
	}
	return largeBuffers
}

// acquire takes memory from a pool.
func (x *exchange) acquire(from int, bytes int64) error {
	if err := x.handler.gate.acquire(x.ctx, from, bytes); err != nil {
		return err
	}
	x.track(from, bytes)
	return nil
}

func (x *exchange) force(from int, bytes int64) {
	x.handler.gate.pools[from].force(bytes)
	x.track(from, bytes)
}

func (x *exchange) release(to int, bytes int64) {
	x.track(to, -bytes)
	x.handler.gate.pools[to].release(bytes)
}

func (x *exchange) track(pool int, bytes int64) {
	x.reserved[pool].Add(bytes)
	x.handler.telemetry.InFlight(0, bytes)
}

// startWork reserves the memory and the slot for the conversion of an object, with room for the
// result. endWork releases them. It takes the memory first, since reviews may have that while they
// wait.
func (x *exchange) startWork(w work, result int) error {
	if err := x.prepare(result); err != nil {
		return err
	}
	if err := x.acquire(w.from, w.amount); err != nil {
		return err
	}
	if err := x.handler.gate.slots.acquire(x.ctx, 1, func() {}); err != nil {
		x.release(w.from, w.amount)
		return err
	}
	return nil
}

func (x *exchange) endWork(w work) {
	x.handler.gate.slots.release(1)
	x.release(w.from, w.amount)
}

// work is the memory that the conversion of one object takes from a pool.
type work struct {
	from   int
	amount int64
}

// workOf returns the work for an object of the given size. Cost is the memory that its conversion
// uses beside the result. Work larger than its pool is reduced to the pool's size. It then waits
// until no other work uses the pool. bound limits how much larger it may be.
func (g *gate) workOf(bytes int, cost int64) work {
	w := work{largeWork, max(workFactor*int64(bytes), cost+int64(bytes))}
	if bytes <= smallObject && w.amount <= g.sizes[smallWork]/2 {
		w.from = smallWork
	}
	w.amount = min(w.amount, g.sizes[w.from])
	return w
}

// storable is the size of the largest object that etcd stores by default. Such an object may have
// been created by a plan, so that it must be readable in every version. Otherwise one object in one
// namespace would fail each list of its kind.
const storable = 3 << 19

// bound returns an error if the conversion of an object by c may cost more than the gate has for
// one object. It is called for objects that no plan has converted, since plans need no Go values.
// It never fails for a storable object.
func (g *gate) bound(c engine.Converter, object []byte) error {
	costly, ok := c.(engine.Costly)
	if !ok || len(object) <= storable {
		return nil
	}
	if cost := costly.Cost(object); cost > g.affordable() {
		return fmt.Errorf("its conversion may need %d bytes of memory, and the webhook has %d for one object: raise --max-in-flight-bytes", cost, g.affordable())
	}
	return nil
}

// affordable returns the largest cost of one object's conversion. The text of the largest object
// costs half of InFlightBytes. The rest is for its Go values.
func (g *gate) affordable() int64 {
	return max(g.limits.InFlightBytes+g.limits.InFlightBytes/4, g.sizes[largeWork])
}

// workFor returns the work for an object that has been read.
func (x *exchange) workFor(object review.Object) work {
	cost := int64(0)
	if object.IsObject() && !scan.Is(object.APIVersion, x.head.Desired) {
		if to, err := x.route(object); err == nil && to.costly != nil {
			cost = to.costly.Cost(object.Raw)
		}
	}
	return x.handler.gate.workOf(len(object.Raw), cost)
}
