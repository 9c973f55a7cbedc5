package subprocess

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"time"
)

// patience is how long an interrupted program may take to end.
const patience = 300 * time.Millisecond

// Command is a program that a run starts. When its context ends, Command interrupts the program and
// its children, so that they can remove their files, and kills them a moment later.
type Command struct {
	*exec.Cmd
	ctx    context.Context
	stop   context.CancelFunc // of the program alone
	Errors bytes.Buffer       // the program's standard error
}

// New returns a command that runs a program in a folder.
func New(ctx context.Context, dir, program string, args ...string) *Command {
	own, stop := context.WithCancel(ctx)
	c := &Command{Cmd: exec.CommandContext(own, program, args...), ctx: ctx, stop: stop}
	c.Dir, c.WaitDelay = dir, patience
	c.Stderr = &c.Errors
	newGroup(c.Cmd)
	c.Cancel = func() error {
		time.AfterFunc(patience, func() { killAll(c.Cmd) })
		return interrupt(c.Cmd)
	}
	return c
}

// Read runs the program while from reads its standard output. It returns the error of from, which
// stops the program, or else the error of the program.
func (c *Command) Read(from func(io.Reader) error) error {
	defer c.stop()
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	failed := from(out)
	if failed != nil {
		c.stop()
	}
	_, _ = io.Copy(io.Discard, out) // until it ends
	ended := c.Wait()
	switch {
	case c.ctx.Err() != nil:
		killAll(c.Cmd)
		return c.ctx.Err()
	case failed != nil:
		return failed
	}
	return ended
}

// Print runs the program and returns its standard output.
func (c *Command) Print() ([]byte, error) {
	var out bytes.Buffer
	err := c.Read(func(r io.Reader) error {
		_, err := out.ReadFrom(r)
		return err
	})
	return out.Bytes(), err
}
