package process

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Process is one process for ever, also after it has ended. It can be written as JSON and read by
// another process.
type Process struct {
	PID   int    `json:"pid"`
	Began string `json:"began"` // as the system tells it; of use for comparing only
}

// ErrEnded reports that the process has ended, and that another process may have its number.
var ErrEnded = errors.New("the process has ended")

// Of returns the process that has the number now.
func Of(pid int) (Process, error) {
	began, err := began(pid)
	if err != nil {
		return Process{}, fmt.Errorf("process %d: %w", pid, err)
	}
	return Process{PID: pid, Began: began}, nil
}

// Runs reports whether the process has not ended.
func (p Process) Runs() bool {
	now, err := Of(p.PID)
	return err == nil && now == p
}

// Signal sends a signal to the process, never to another one that has its number now. It returns
// ErrEnded if the process has ended.
func (p Process) Signal(s os.Signal) error {
	found, err := os.FindProcess(p.PID) // holds on to the process that has the number now, where the system can
	if err != nil {
		return fmt.Errorf("process %d: %w", p.PID, err)
	}
	defer func() { _ = found.Release() }()
	if !p.Runs() {
		return fmt.Errorf("process %d, begun %s: %w", p.PID, p.Began, ErrEnded)
	}
	if err := found.Signal(s); err != nil {
		if errors.Is(err, os.ErrProcessDone) {
			err = ErrEnded
		}
		return fmt.Errorf("process %d: %w", p.PID, err)
	}
	return nil
}

// Ended waits until the process has ended, and reports whether it did within the time.
func (p Process) Ended(within time.Duration) bool {
	for limit := time.Now().Add(within); p.Runs(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			return false
		}
	}
	return true
}
