package webhook

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stratakube/strata/webhook/internal/pace"
)

func never() {}

// TestPool checks that a pool serves requests in order, as soon as it has enough.
func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pool{free: 10}
		if err := p.acquire(t.Context(), 6, never); err != nil || p.free != 4 {
			t.Fatalf("%v, %d left", err, p.free)
		}
		order := make(chan int, 3)
		for i, amount := range []int64{8, 1, 3} {
			go func() {
				if err := p.acquire(t.Context(), amount, never); err != nil {
					t.Error(err)
				}
				order <- i
			}()
			synctest.Wait()
		}
		if len(order) != 0 {
			t.Error("one that came later went before")
		}
		p.release(6)
		synctest.Wait()
		if len(order) != 2 || <-order+<-order != 1 || p.free != 1 {
			t.Errorf("the first two were not served, %d left", p.free)
		}
		p.release(8)
		if <-order != 2 || p.free != 6 {
			t.Errorf("%d left", p.free)
		}
	})
}

// TestPoolGivesUp checks that a review leaves the queue if it waits too long or its client leaves,
// and that those behind it go on.
func TestPoolGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pool{free: 10}
		starved := 0
		began := time.Now()
		if err := p.acquire(t.Context(), 11, func() { starved++ }); !errors.Is(err, errBusy) || time.Since(began) != wait {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		if starved < int(wait/patience) {
			t.Errorf("others were asked for room %d times", starved)
		}
		left, leave := context.WithCancelCause(t.Context())
		gone := errors.New("the client has gone")
		failed, served := make(chan error, 1), make(chan error, 1)
		go func() { failed <- p.acquire(left, 11, never) }()
		synctest.Wait()
		go func() { served <- p.acquire(t.Context(), 10, never) }()
		synctest.Wait()
		leave(gone)
		if err := <-failed; !errors.Is(err, gone) {
			t.Error(err)
		}
		if err := <-served; err != nil || p.free != 0 || len(p.queue) != 0 {
			t.Errorf("%v, %d left, %d wait", err, p.free, len(p.queue))
		}
		p.force(5)
		if p.release(4); p.free != -1 || p.ask(0) == nil {
			t.Errorf("%d left where more was taken than there was", p.free)
		}
	})
}

// TestShares checks that the pools have all memory together, and that the smallest allowed amount
// suffices for the largest object and its buffers.
func TestShares(t *testing.T) {
	for _, objects := range []int64{1 << 20, 8 << 20, 64 << 20} {
		l := Limits{ObjectBytes: objects, InFlightBytes: memoryOfObject * objects}
		if err := l.Check(); err != nil {
			t.Error(err)
		}
		g := newGate(l.orDefault())
		all := int64(0)
		for i := range g.pools {
			all += g.pools[i].free
		}
		if all != l.InFlightBytes {
			t.Errorf("%d bytes are shared out of %d", all, l.InFlightBytes)
		}
		// While a buffer grows, it exists twice. The same holds for the buffer of the answer.
		if needs := 5 * objects; g.pools[largeBuffers].free < needs || g.pools[largeWork].free < workFactor*objects {
			t.Errorf("objects of %d bytes find %d and %d", objects, g.pools[largeBuffers].free, g.pools[largeWork].free)
		}
	}
}

// TestLeastShares checks for all limits that the largest object finds room when it is alone, and
// so does a small one.
func TestLeastShares(t *testing.T) {
	g := newGate(Limits{ObjectBytes: 1 << 20, InFlightBytes: 1}.orDefault())
	for pool, least := range map[int]int64{smallBuffers: 128 << 10, largeBuffers: 3 << 20, smallWork: 17 * 64 << 10, largeWork: 17 << 20} {
		if got := g.pools[pool].free; got < least {
			t.Errorf("pool %d has %d bytes, want %d at least", pool, got, least)
		}
	}
}

// TestClientsThatAreCutOff checks which of the waiting clients is cut off when a pool is empty.
func TestClientsThatAreCutOff(t *testing.T) {
	type client struct {
		waited time.Duration
		holds  int64
	}
	many := make([]client, 30)
	for i := range many {
		many[i] = client{time.Second, 0}
	}
	for _, test := range []struct {
		reason  string
		clients []client
		want    int // its index; -1 for none
	}{
		{"the slowest", []client{{150 * time.Millisecond, 1}, {300 * time.Millisecond, 1}, {200 * time.Millisecond, 1}}, 1},
		{"the slowest of those that hold something", []client{{time.Minute, 0}, {200 * time.Millisecond, 1}, {time.Hour, 0}}, 1},
		{"the only one of many that holds something", append(many, client{200 * time.Millisecond, 1}), 30},
		{"nobody who is waited for no longer than a good client", []client{{100 * time.Millisecond, 1}, {time.Millisecond, 1}}, -1},
		{"one who is, by the least time", []client{{100 * time.Millisecond, 1}, {100*time.Millisecond + 1, 1}}, 1},
	} {
		t.Run(test.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate(Limits{}.orDefault())
				now := time.Now().Add(2 * time.Hour)
				reviews := make([]*exchange, len(test.clients))
				for i, c := range test.clients {
					x := &exchange{meter: pace.New(pace.Rate{})}
					x.reserved[largeBuffers].Store(c.holds)
					reviews[i], g.open[x] = x, struct{}{}
					go func() {
						time.Sleep(time.Until(now.Add(-c.waited)))
						x.meter.Wait(never)
					}()
				}
				time.Sleep(time.Until(now))
				synctest.Wait()
				g.starve(largeBuffers)
				for i, x := range reviews {
					if isCut := x.meter.Moved(0) != nil; isCut != (i == test.want) {
						t.Errorf("client %d is cut off: %v", i, isCut)
					}
					x.meter.End()
				}
			})
		})
	}
}
