package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Catch ends the context when this process is told to end, so that the programs that run under the
// context end first, and the caller can finish what it does. The function that it returns gives a
// signal that was caught back to the process, which ends of it unless something else listens for
// it. Where the context that Catch was given has ended too, its owner listens, as mage does, and
// must not receive the signal twice. Under a context of Catch, another call of Catch does nothing.
func Catch(given context.Context) (_ context.Context, giveBack func()) {
	if given.Value(caught{}) != nil {
		return given, func() {}
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(given, caught{}, true))
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
		if s, ok := <-received; ok && given.Err() == nil {
			raise(s)
		}
	}
}

// caught is the key of contexts that Catch returns.
type caught struct{}

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
