package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Catch returns a context that ends when this process receives an interrupt or SIGTERM. Programs
// that run under the context then end first, and the caller can finish its work. giveBack sends a
// caught signal to this process again, which ends it unless something else listens for the
// signal. It sends none if the given context has ended too: its owner, such as mage, listens
// itself, and must not receive the signal twice. Under a context of Catch, another call of Catch
// does nothing.
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
