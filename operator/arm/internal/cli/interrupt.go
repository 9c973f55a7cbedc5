package cli

import (
	"context"
	"io"
	"sync"
	"time"
)

// grace is how long a command may take to end after an interrupt. A command checks its context,
// but not during a system call, such as reading a terminal or writing to a full pipe.
const grace = 800 * time.Millisecond

// lastGrace is how long the last messages of a command may take after an interrupt.
const lastGrace = 100 * time.Millisecond

// within returns the error of work. If the context ends and the grace has passed, it returns the
// error of the context. Work that still runs then ends with the process, and may leave a
// temporary file.
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

// messages is a writer for several goroutines that writes nothing after the last messages.
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

// last writes the last messages. The text may be empty.
func (m *messages) last(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	if text != "" {
		_, _ = io.WriteString(m.out, text) // nothing is left to report a failure to
	}
}
