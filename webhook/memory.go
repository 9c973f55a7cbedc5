package webhook

import (
	"math/bits"
	"sync"

	"github.com/stratakube/strata/webhook/internal/review"
	"github.com/stratakube/strata/webhook/internal/scan"
)

// What follows makes an exchange the memory of its reader, and of its writer too. What a buffer takes of the gate follows
// from its capacity.

// maxPooled is how large a buffer may be that is kept for other reviews.
const maxPooled = 1 << 20

// buffers are those that nobody uses, by the logarithm of the capacity that they have at least.
var buffers [21]sync.Pool

// class is the logarithm of the least power of two that is not below size.
func class(size int) int { return bits.Len(uint(max(size, 1) - 1)) }

// Get returns a buffer. It waits for room, and fails where there is none.
func (x *exchange) Get(size int) ([]byte, error) {
	if size <= firstBuffer {
		return x.first(), nil
	}
	if size <= maxPooled {
		size = 1 << class(size)
	}
	if err := x.take(poolOf(size), int64(size)); err != nil {
		return nil, err
	}
	if size <= maxPooled {
		if kept, ok := buffers[class(size)].Get().(*[]byte); ok {
			x.force(poolOf(cap(*kept)), int64(cap(*kept)))
			x.give(poolOf(size), int64(size))
			return (*kept)[:0], nil
		}
	}
	return make([]byte, 0, size), nil
}

// first is a buffer as every exchange has two, without asking anybody.
func (x *exchange) first() []byte {
	if last := len(x.spare) - 1; last >= 0 {
		buf := x.spare[last]
		x.spare = x.spare[:last]
		return buf
	}
	return make([]byte, 0, firstBuffer)
}

// Put takes a buffer back, from Get or Adopt.
func (x *exchange) Put(buf []byte) {
	switch size := cap(buf); {
	case size == 0:
	case size <= firstBuffer:
		if size == firstBuffer && len(x.spare) < 2 {
			x.spare = append(x.spare, buf[:0])
		}
	default:
		x.give(poolOf(size), int64(size))
		if size <= maxPooled {
			kept := buf[:0]
			buffers[bits.Len(uint(size))-1].Put(&kept)
		}
	}
}

// prepare makes the buffer of the answer large enough for an object of so many bytes, as most conversions change the size little.
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

// adopt takes up a buffer that a conversion has made where the one that it was given did not do.
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

// take takes memory out of a pool.
func (x *exchange) take(from int, bytes int64) error {
	if err := x.handler.gate.take(x.ctx, from, bytes); err != nil {
		return err
	}
	x.note(from, bytes)
	return nil
}

func (x *exchange) force(from int, bytes int64) {
	x.handler.gate.pools[from].force(bytes)
	x.note(from, bytes)
}

func (x *exchange) give(to int, bytes int64) {
	x.note(to, -bytes)
	x.handler.gate.pools[to].give(bytes)
}

func (x *exchange) note(pool int, bytes int64) {
	x.holds[pool].Add(bytes)
	x.handler.telemetry.InFlight(0, bytes)
}

// work takes the memory for the conversion of an object, with room for the result. Rest gives it back. It takes first what
// reviews may hold while they wait.
func (x *exchange) work(w work, result int) error {
	if err := x.prepare(result); err != nil {
		return err
	}
	if err := x.take(w.from, w.amount); err != nil {
		return err
	}
	if err := x.handler.gate.slots.take(x.ctx, 1, func() {}); err != nil {
		x.give(w.from, w.amount)
		return err
	}
	return nil
}

func (x *exchange) rest(w work) {
	x.handler.gate.slots.give(1)
	x.give(w.from, w.amount)
}

// work is the memory that the conversion of one object takes out of a pool.
type work struct {
	from   int
	amount int64
}

// workOf is the work for an object of so many bytes, whose conversion takes cost beside the result. What costs more than a
// pool has waits until it is alone there.
func (g *gate) workOf(bytes int, cost int64) work {
	w := work{largeWork, max(workFactor*int64(bytes), cost+int64(bytes))}
	if bytes <= smallObject && w.amount <= g.sizes[smallWork]/2 {
		w.from = smallWork
	}
	w.amount = min(w.amount, g.sizes[w.from])
	return w
}

// workFor is the work for an object that has been read.
func (x *exchange) workFor(object review.Object) work {
	cost := int64(0)
	if object.IsObject() && !scan.Is(object.APIVersion, x.head.Desired) {
		if to, err := x.route(object); err == nil && to.costly != nil {
			cost = to.costly.Cost(object.Raw)
		}
	}
	return x.handler.gate.workOf(len(object.Raw), cost)
}
