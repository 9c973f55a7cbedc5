package pace

import (
	"errors"
	"sync"
	"time"
)

// ErrSlow reports that a client was too slow and was cut off.
var ErrSlow = errors.New("the client is too slow")

// Rate is the speed that a client must reach. The zero value allows any speed.
type Rate struct {
	// Bytes is how many bytes a second must pass while the meter waits for the client.
	Bytes int64
	// Grace is how long a client may be slower.
	Grace time.Duration
}

// Meter measures one client. One goroutine calls Wait and Moved in turns; any may call the other
// methods.
type Meter struct {
	rate Rate

	mu     sync.Mutex
	timer  *time.Timer
	began  time.Time     // when the present wait began; zero while there is none
	waited time.Duration // time of earlier waits since the client last kept up
	moved  int64         // bytes since then
	stop   func()        // interrupts the present wait
	slow   bool
	over   bool
}

// New makes a meter.
func New(rate Rate) *Meter { return &Meter{rate: rate} }

// Wait begins a wait for the client. The meter calls stop to interrupt it.
func (m *Meter) Wait(stop func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.began, m.stop = time.Now(), stop
	switch {
	case m.slow:
		stop()
	case m.timer == nil && m.rate.Grace > 0:
		m.timer = time.AfterFunc(m.rate.Grace, m.check)
	}
}

// Moved ends a wait in which the given number of bytes passed. It returns ErrSlow if the client was
// cut off.
func (m *Meter) Moved(bytes int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waited += time.Since(m.began)
	m.moved += int64(bytes)
	m.began, m.stop = time.Time{}, nil
	if m.slow {
		return ErrSlow
	}
	if m.moved >= m.required(m.waited) {
		m.waited, m.moved = 0, 0
	}
	return nil
}

// required returns how many bytes must pass in a time; at least one.
func (m *Meter) required(in time.Duration) int64 {
	return max(1, int64(in.Seconds()*float64(m.rate.Bytes)))
}

// Waited returns how long the meter has waited for the client since it last kept up; zero while it
// does not wait.
func (m *Meter) Waited() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.began.IsZero() || m.slow {
		return 0
	}
	return m.waited + time.Since(m.began)
}

// Cut interrupts the present wait, if there is one, and all later ones.
func (m *Meter) Cut() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cut()
}

func (m *Meter) cut() {
	if m.over {
		return
	}
	m.slow = true
	if m.stop != nil {
		m.stop()
	}
}

// check cuts off a client that has used up its grace. Otherwise it runs again when that can be the
// case.
func (m *Meter) check() {
	m.mu.Lock()
	defer m.mu.Unlock()
	waited := m.waited
	if !m.began.IsZero() {
		waited += time.Since(m.began)
	}
	switch left := m.rate.Grace - waited; {
	case m.over || m.slow:
	case left <= 0:
		m.cut()
	default:
		m.timer.Reset(left)
	}
}

// End ends the measurement. Nothing is interrupted afterwards.
func (m *Meter) End() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
	if m.timer != nil {
		m.timer.Stop()
	}
}
