package background

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/filelock"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/testcluster/binaries"
)

// Up starts a supervisor that outlives this process, and waits until its cluster is ready. If one
// runs already, Up returns its state, and isNew is false. It calls report with lines about steps
// that take long.
func (p Folder) Up(ctx context.Context, report func(string)) (s State, isNew bool, err error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return s, false, fmt.Errorf("make place of cluster: %w", err)
	}
	unlock, err := filelock.Wait(ctx, p.file("up.lock"), func() { report("waiting for another process that starts the cluster") })
	if err != nil {
		return s, false, err
	}
	defer unlock()
	if s, err = p.State(); !errors.Is(err, ErrNone) {
		return s, false, err
	}
	if err := p.bury(); err != nil {
		return s, false, err
	}
	programs, err := binaries.Build(ctx, report, binaries.Server...)
	if err != nil {
		return s, false, err
	}
	if err := p.buildCommand(ctx); err != nil {
		return s, false, err
	}
	report("starting the cluster")
	s, err = p.start(ctx, programs)
	return s, err == nil, err
}

// buildCommand builds what runs in the background into the place, since what runs now, such as
// mage, does not stay.
func (p Folder) buildCommand(ctx context.Context) error {
	w, err := modules.Find(".")
	if err != nil {
		return err
	}
	return programs.Build(ctx, command.In{Dir: w.Root}, p.file(commandFile), "./tools/testcluster/background/cmd/strata-supervisor")
}

// start starts the supervisor and waits for its cluster. If the context ends first, start stops
// the supervisor.
func (p Folder) start(ctx context.Context, programs binaries.Folder) (State, error) {
	cmd, ended, err := p.launch(programs)
	if err != nil {
		return State{}, fmt.Errorf("start supervisor: %w", err)
	}
	for {
		if s, err := p.read(); err == nil && s.Supervisor.PID == cmd.Process.Pid && s.IsReady() {
			return s, nil
		}
		select {
		case err := <-ended:
			printed, _ := os.ReadFile(p.log())
			return State{}, fmt.Errorf("the cluster did not start (%w), see %s\n%s", err, p.Logs(), printed)
		case <-ctx.Done():
			return State{}, errors.Join(context.Cause(ctx), cmd.Process.Signal(syscall.SIGTERM), <-ended)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// launch starts the supervisor in a session of its own, so that the end of a terminal is nothing to
// it.
func (p Folder) launch(programs binaries.Folder) (*exec.Cmd, <-chan error, error) {
	log, err := os.Create(p.log())
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	cmd := exec.Command(p.file(commandFile), p.dir, string(programs))
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, log, log
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	ended := make(chan error, 1)
	go func() {
		_ = cmd.Wait()
		ended <- errors.New(cmd.ProcessState.String())
	}()
	return cmd, ended, nil
}
