package shard

import "sync"

// gate counts the passes of each slot, and admits passes only to open slots.
type gate struct {
	mu    sync.Mutex
	slots [Slots]struct {
		isOpen  bool
		running int
		idle    chan struct{} // closed when the last pass of a closed slot has ended; nil if nobody waits
	}
}

// open admits passes to a slot.
func (g *gate) open(slot int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.slots[slot].isOpen = true
}

// isOpen reports whether a slot admits passes.
func (g *gate) isOpen(slot int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.slots[slot].isOpen
}

// opened is the number of open slots.
func (g *gate) opened() (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.slots {
		if s.isOpen {
			n++
		}
	}
	return n
}

// enter begins a pass of a slot. It returns the function that ends the pass; nil if the slot is
// closed.
func (g *gate) enter(slot int) (leave func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.slots[slot].isOpen {
		return nil
	}
	g.slots[slot].running++
	return func() { g.leave(slot) }
}

func (g *gate) leave(slot int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &g.slots[slot]
	s.running--
	if s.running == 0 && s.idle != nil {
		close(s.idle)
		s.idle = nil
	}
}

// close admits no more passes to a slot. The channel that it returns is closed when all passes of
// the slot have ended.
func (g *gate) close(slot int) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := &g.slots[slot]
	s.isOpen = false
	if s.idle == nil {
		s.idle = make(chan struct{})
	}
	idle := s.idle
	if s.running == 0 {
		close(s.idle)
		s.idle = nil
	}
	return idle
}
