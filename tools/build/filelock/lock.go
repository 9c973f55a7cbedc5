package filelock

import (
	"context"
	"fmt"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// patience is how long Wait waits in silence.
const patience = time.Second

// Wait takes the lock of a file as soon as no other process has it. It creates the file if it does
// not exist. If Wait has to wait, it calls waiting once.
func Wait(ctx context.Context, file string, waiting func()) (unlock func(), err error) {
	type outcome struct {
		unlock func()
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(file).Lock()
		if err != nil {
			err = fmt.Errorf("take lock: %w", err)
		}
		done <- outcome{unlock, err}
	}()
	patience := time.After(patience)
	for {
		select {
		case o := <-done:
			return o.unlock, o.err
		case <-patience:
			waiting()
		case <-ctx.Done():
			go func() {
				if o := <-done; o.err == nil {
					o.unlock()
				}
			}()
			return nil, context.Cause(ctx)
		}
	}
}
