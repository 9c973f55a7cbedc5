package background

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/stratakube/strata/tools/build/filelock"
	"github.com/stratakube/strata/tools/testcluster/process"
)

const (
	// patience is longer than a supervisor takes to stop two servers, one of them by force.
	patience = 3 * process.Grace
	// moment is longer than a reader of the state has the lock.
	moment = 2 * time.Second
)

// Down stops the supervisor, waits until it has ended, and ends servers that it left. It returns
// false if nothing runs. It signals only the process that the folder identifies, by its number
// and start time.
func (p Folder) Down(ctx context.Context) (bool, error) {
	s, err := p.State()
	if errors.Is(err, ErrNone) {
		return false, p.bury()
	}
	if err != nil {
		return false, err
	}
	if err := p.stop(ctx, s.Supervisor); err != nil {
		return false, err
	}
	return true, errors.Join(end(append(s.Servers, s.Supervisor)), p.clear())
}

// stop stops the supervisor, by force where it does not stop by itself.
func (p Folder) stop(ctx context.Context, supervisor process.Process) error {
	err := supervisor.Signal(syscall.SIGTERM)
	if errors.Is(err, process.ErrEnded) {
		if stillTaken := p.awaitEnd(ctx, moment); stillTaken != nil {
			return fmt.Errorf("%s is not about the process that has the lock: %w", p.file(stateFile), err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("stop supervisor: %w", err)
	}
	if err := p.awaitEnd(ctx, patience); err != nil {
		return errors.Join(fmt.Errorf("the supervisor does not stop: %w", err), supervisor.Signal(os.Kill))
	}
	return nil
}

// bury ends the servers of a supervisor that was killed.
func (p Folder) bury() error {
	s, err := p.read()
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return errors.Join(err, end(s.Servers), p.clear())
}

// awaitEnd waits until no process has the lock of the place.
func (p Folder) awaitEnd(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	unlock, err := filelock.Wait(ctx, p.file(lockFile), func() {})
	if err == nil {
		unlock()
	}
	return err
}

// end makes sure that processes have ended which are about to. That one had to be ended is an
// error.
func end(processes []process.Process) error {
	var errs []error
	for _, p := range processes {
		if p.Ended(5 * time.Second) {
			continue
		}
		errs = append(errs, fmt.Errorf("process %d was left and had to be ended by force", p.PID), p.Signal(os.Kill))
		if !p.Ended(process.Grace) {
			errs = append(errs, fmt.Errorf("process %d cannot be ended", p.PID))
		}
	}
	return errors.Join(errs...)
}
