package cli

import (
	"context"
	"io"
	"sync"
	"time"
)

// grace is how long a command may take to end after an interrupt. It looks at its context, but not
// while it waits for a call of the system, such as reading a terminal or writing to a pipe that
// nobody reads.
const grace = 800 * time.Millisecond

// lastGrace is how long the last messages of a command may take after an interrupt.
const lastGrace = 100 * time.Millisecond

// within returns the error of work, or the context's error once that has ended and the grace is
// over. Work that goes on then ends with the process; a temporary file may be left.
func within(ctx context.Context, grace time.Duration, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		return ctx.Err()
	}
}

// messages writes to a stream for several goroutines, and writes nothing after the last messages.
type messages struct {
	mu    sync.Mutex
	out   io.Writer
	ended bool
}

func (m *messages) Write(text []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended {
		return len(text), nil
	}
	return m.out.Write(text)
}

// last writes the last messages. There may be none.
func (m *messages) last(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	if text != "" {
		_, _ = io.WriteString(m.out, text) // nothing is left to report a failure to
	}
}
