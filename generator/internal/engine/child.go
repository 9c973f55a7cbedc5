package engine

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"time"
)

// patience is how long a program that was interrupted may take to end.
const patience = 300 * time.Millisecond

// child is a program that a run starts. It ends soon after the context does, and so does all that it has started: an
// interrupt first, so that it removes what it has made, then a kill.
type child struct {
	*exec.Cmd
	ctx    context.Context
	stop   context.CancelFunc // of the program alone
	errors bytes.Buffer       // what it says is wrong
}

func newChild(ctx context.Context, dir, program string, args ...string) *child {
	own, stop := context.WithCancel(ctx)
	c := &child{Cmd: exec.CommandContext(own, program, args...), ctx: ctx, stop: stop}
	c.Dir, c.WaitDelay = dir, patience
	c.Stderr = &c.errors
	apart(c.Cmd)
	c.Cancel = func() error {
		time.AfterFunc(patience, func() { killAll(c.Cmd) })
		return interrupt(c.Cmd)
	}
	return c
}

// read runs the program, and reads what it prints meanwhile. It gives the error of reading, which stops the program, else
// that of the program.
func (c *child) read(from func(io.Reader) error) error {
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

// print runs the program and gives what it prints.
func (c *child) print() ([]byte, error) {
	var out bytes.Buffer
	err := c.read(func(r io.Reader) error {
		_, err := out.ReadFrom(r)
		return err
	})
	return out.Bytes(), err
}
