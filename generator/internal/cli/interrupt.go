package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/stratakube/strata/generator/internal/output"
)

// Signals gives a context that an interrupt or a SIGTERM ends. A second signal kills the process.
// The cause of the context's end has the signal.
func Signals(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			cancel(signaled{s})
		case <-ctx.Done():
		}
		signal.Stop(signals)
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// signaled is the cause of a context that a signal has ended.
type signaled struct{ os.Signal }

// Error names the signal.
func (s signaled) Error() string { return s.String() + " signal received" }

// interruptedBy returns the exit code of a run that was interrupted: 128 and the number of the
// signal, as shells report it. It is that of an interrupt if the context does not have the signal.
func interruptedBy(ctx context.Context) int {
	var cause signaled
	if errors.As(context.Cause(ctx), &cause) && cause.Signal == syscall.SIGTERM {
		return Terminated
	}
	return Interrupted
}

// grace is how long the engine may take to end after an interrupt. The engine checks its context,
// but it cannot end a system call that waits, such as a read from a network that is down. It kills
// programs that it has started only after a while.
const grace = 800 * time.Millisecond

// within returns the result of work, or the context's error if work has not ended when the grace is
// over. Such work ends with the process, but not while files get their names: all of them are new,
// or none is.
func within[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := work()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
	}
	for {
		select {
		case r := <-done:
			return r.value, r.err
		case <-time.After(grace):
		}
		if !output.AwaitRenames() {
			var none T
			return none, ctx.Err()
		}
	}
}

// nothing is the result of work that has none.
type nothing struct{}

// without is [within] for work that has no result.
func without(ctx context.Context, work func() error) error {
	_, err := within(ctx, func() (nothing, error) { return nothing{}, work() })
	return err
}
