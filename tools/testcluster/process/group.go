package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Group is a folder with the programs that work in it. Close ends it.
type Group struct {
	Dir string   // only this user can read it
	Env []string // is added to the environment of programs that are started from now on

	guard    *exec.Cmd
	pipe     io.Closer
	programs []*Program
}

// Open makes a folder for temporary files whose name starts with prefix, and the group around it.
func Open(prefix string) (*Group, error) {
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, fmt.Errorf("open group: %w", err)
	}
	g := &Group{Dir: dir}
	if err := g.startGuard(); err != nil {
		return nil, errors.Join(fmt.Errorf("start guard: %w", err), os.RemoveAll(dir))
	}
	return g, nil
}

// Close stops the programs, the last started first, and removes the folder. The group can be closed
// again, to no effect.
func (g *Group) Close() error {
	var errs []error
	for i := len(g.programs) - 1; i >= 0; i-- {
		errs = append(errs, g.programs[i].Stop())
	}
	g.programs = nil
	errs = append(errs, os.RemoveAll(g.Dir))
	if g.guard != nil {
		errs = append(errs, g.pipe.Close(), g.guard.Wait())
		g.guard = nil
	}
	return errors.Join(errs...)
}
