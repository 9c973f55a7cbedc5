package run

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// catch ends the context when this process is told to end, so that the program it waits for is
// ended first. The function that it returns gives a signal that was caught back to the process,
// which ends of it unless somebody else listens.
func catch(ctx context.Context) (_ context.Context, giveBack func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	received := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer close(received)
		select {
		case s := <-signals:
			received <- s
			cancel(fmt.Errorf("received %s", s))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		signal.Stop(signals)
		if s, ok := <-received; ok {
			raise(s)
		}
	}
}

// raise sends the signal to this process and leaves it time to arrive. Where there are no signals,
// the error of the command has to do.
func raise(s os.Signal) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return
	}
	if self.Signal(s) == nil {
		time.Sleep(Grace / 5)
	}
}
