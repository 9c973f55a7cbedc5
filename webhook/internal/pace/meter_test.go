package pace

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// client sends a number of bytes after each pause.
type client struct {
	pause time.Duration
	bytes int
}

// send lets a client send until it is cut off, or for a minute, and returns how long it lasted.
func send(m *Meter, c client) (lasted time.Duration, err error) {
	began := time.Now()
	for time.Since(began) < time.Minute {
		stopped := make(chan struct{})
		m.Wait(func() { close(stopped) })
		select {
		case <-time.After(c.pause):
			err = m.Moved(c.bytes)
		case <-stopped:
			err = m.Moved(0)
		}
		if err != nil {
			break
		}
	}
	return time.Since(began), err
}

func TestRate(t *testing.T) {
	rate := Rate{Bytes: 1000, Grace: 5 * time.Second}
	for _, test := range []struct {
		reason string
		client client
		lasts  time.Duration // zero for no end
	}{
		{"one that sends nothing", client{24 * time.Hour, 0}, 5 * time.Second},
		{"one that trickles", client{900 * time.Millisecond, 1}, 5 * time.Second},
		{"one that is a little too slow", client{time.Second, 999}, 5 * time.Second},
		{"one that just keeps up", client{time.Second, 1000}, 0},
		{"one that keeps up in bursts", client{4900 * time.Millisecond, 4900}, 0},
		{"one that is quick", client{time.Millisecond, 1 << 20}, 0},
	} {
		t.Run(test.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := New(rate)
				lasted, err := send(m, test.client)
				m.End()
				if errors.Is(err, ErrSlow) != (test.lasts > 0) || test.lasts > 0 && lasted != test.lasts {
					t.Errorf("it lasted %s: %v", lasted, err)
				}
			})
		})
	}
}

// TestOnlyWaitsCount checks that time between waits does not count, and that earlier bytes do not
// help a client that stalls.
func TestOnlyWaitsCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Rate{Bytes: 1000, Grace: 5 * time.Second})
		for range 10 {
			m.Wait(func() { t.Error("it was cut off") })
			if err := m.Moved(1 << 20); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Hour)
		}
		if waited := m.Waited(); waited != 0 {
			t.Errorf("it was waited for %s, and is not", waited)
		}
		if lasted, err := send(m, client{24 * time.Hour, 0}); lasted != 5*time.Second || !errors.Is(err, ErrSlow) {
			t.Errorf("it lasted %s: %v", lasted, err)
		}
		m.End()
	})
}

// TestWithoutRate checks that the zero rate lets a client send nothing at all.
func TestWithoutRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Rate{})
		if lasted, err := send(m, client{10 * time.Second, 0}); err != nil || lasted < time.Minute {
			t.Errorf("it lasted %s: %v", lasted, err)
		}
		m.End()
	})
}

// TestPiecesAddUp checks that a client keeps up if all bytes since it last kept up are enough.
func TestPiecesAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Rate{Bytes: 1000, Grace: 5 * time.Second})
		for range 20 {
			for _, bytes := range []int{400, 600} {
				m.Wait(func() { t.Error("it was cut off") })
				time.Sleep(500 * time.Millisecond)
				if err := m.Moved(bytes); err != nil {
					t.Fatal(err)
				}
			}
		}
		m.End()
	})
}

// TestWaitIsInterruptedOnce checks it also where the grace ends after the client was cut off for
// others.
func TestWaitIsInterruptedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stops atomic.Int32
		m := New(Rate{Bytes: 1000, Grace: 5 * time.Second})
		m.Wait(func() { stops.Add(1) })
		time.Sleep(time.Second)
		m.Cut()
		time.Sleep(time.Minute)
		if stops.Load() != 1 {
			t.Errorf("it was interrupted %d times", stops.Load())
		}
		m.End()
	})
}

func TestWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Rate{Bytes: 1000, Grace: time.Hour})
		m.Wait(func() {})
		time.Sleep(2 * time.Second)
		if err := m.Moved(1); err != nil {
			t.Fatal(err)
		}
		m.Wait(func() {})
		time.Sleep(3 * time.Second)
		if got := m.Waited(); got != 5*time.Second {
			t.Errorf("waited for %s, want all since it last kept up", got)
		}
		if err := m.Moved(1 << 20); err != nil {
			t.Fatal(err)
		}
		m.Wait(func() {})
		time.Sleep(time.Second)
		if got := m.Waited(); got != time.Second {
			t.Errorf("waited for %s after it caught up", got)
		}
		m.End()
	})
}

// TestCut checks that Cut interrupts the present wait and later ones, and nothing after End.
func TestCut(t *testing.T) {
	var stops atomic.Int32
	stop := func() { stops.Add(1) }
	m := New(Rate{})
	m.Wait(stop)
	m.Cut()
	if err := m.Moved(1 << 20); !errors.Is(err, ErrSlow) || stops.Load() != 1 {
		t.Errorf("%v, %d stops", err, stops.Load())
	}
	m.Wait(stop)
	if err := m.Moved(1 << 20); !errors.Is(err, ErrSlow) || stops.Load() != 2 || m.Waited() != 0 {
		t.Errorf("%v, %d stops", err, stops.Load())
	}
	ended := New(Rate{})
	ended.Wait(stop)
	ended.End()
	ended.Cut()
	if stops.Load() != 2 {
		t.Error("something was interrupted after the end")
	}
}
