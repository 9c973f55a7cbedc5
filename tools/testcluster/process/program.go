package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/stratakube/strata/tools/testcluster/await"
)

// Grace is how long a program has to end once it was asked to.
const Grace = 20 * time.Second

// Program is a program that was started. It may have ended.
type Program struct {
	Process Process

	name  string
	log   string // the file of its output
	cmd   *exec.Cmd
	done  chan struct{}
	ended atomic.Bool // a signal was sent to end it
}

// Start starts a program of the group in its folder, with its output in the file log.
func (g *Group) Start(path, log string, args ...string) (*Program, error) {
	p := &Program{name: filepath.Base(path), log: log, cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Dir = g.Dir
	p.cmd.Env = append(p.cmd.Environ(), g.Env...)
	g.adopt(p.cmd)
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	g.programs = append(g.programs, p)
	var err error
	if p.Process, err = Of(p.cmd.Process.Pid); err != nil {
		return nil, fmt.Errorf("start %s: %w\n%s", p.name, err, p.Output())
	}
	return p, nil
}

func (p *Program) start() error {
	log, err := os.OpenFile(p.log, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	p.cmd.Stdout, p.cmd.Stderr = log, log
	started := make(chan error)
	go p.run(started)
	return <-started
}

// run starts the program and waits for it on one and the same thread, since for the system that is
// the parent.
func (p *Program) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.cmd.Start(); err != nil {
		started <- err
		return
	}
	started <- nil
	_ = p.cmd.Wait()
	close(p.done)
}

// Done is closed when the program has ended.
func (p *Program) Done() <-chan struct{} { return p.done }

// Await calls try until it returns no error. It stops when the program or the context ends, or
// after patience, but does not interrupt a try. The error includes the last lines of the
// program's output.
func (p *Program) Await(ctx context.Context, patience time.Duration, try func() error) error {
	err := await.Success(ctx, patience, func() error {
		err := try()
		select {
		case <-p.done:
			return await.Final(fmt.Errorf("it has ended (%v)", p.cmd.ProcessState))
		default:
			return err
		}
	})
	if err != nil {
		return fmt.Errorf("wait for %s: %w\n%s", p.name, err, p.Output())
	}
	return nil
}

// Kill kills the program if it has not ended, and waits for its end. Processes that it has
// started may continue.
func (p *Program) Kill() error {
	p.ended.Store(true)
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.name, err)
	}
	<-p.done
	return nil
}

// Stop asks the program to end, waits, and kills it if it does not. It returns an error if it had
// to kill the program, or if the program had ended by itself. It does nothing for a program that
// was stopped before.
func (p *Program) Stop() error {
	again := p.ended.Swap(true)
	select {
	case <-p.done:
		if again {
			return nil
		}
		return p.Err()
	default:
	}
	if p.cmd.Process.Signal(syscall.SIGTERM) == nil {
		select {
		case <-p.done:
			return nil
		case <-time.After(Grace):
		}
	}
	_ = p.cmd.Process.Kill()
	<-p.done
	return fmt.Errorf("stop %s: it had to be ended by force after %s", p.name, Grace)
}

// Err waits until the program has ended, and returns an error with the last lines of its output.
// Call it only if neither Stop nor Kill has ended the program.
func (p *Program) Err() error {
	<-p.done
	return fmt.Errorf("%s ended by itself (%v)\n%s", p.name, p.cmd.ProcessState, p.Output())
}

// Output are the last lines of the program's output.
func (p *Program) Output() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-lastLines):], []byte("\n")))
}

const lastLines = 20

// CPU is the time that a program has used which has ended, with those that it has started and
// waited for.
func (p *Program) CPU() time.Duration {
	<-p.done
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}
