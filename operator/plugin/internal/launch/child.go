package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// child is the process of a plugin, as go-plugin expects its runners. It reads stderr itself.
type child struct {
	cmd    *exec.Cmd
	log    *output
	stdout *os.File
	stderr *os.File
	stdin  *os.File // closing it ends the plugin; the end of the host closes it too

	mu                  sync.Mutex
	state               state
	hasBegun, wasKilled bool
	ended               chan struct{}
	err                 error // the reason; may be read after ended is closed
	reads               sync.WaitGroup
}

type state int

const (
	fresh state = iota
	running
	over // ended, or never to start
)

// newChild makes the process of a program.
func newChild(p *program, args, env []string, log *output) *child {
	cmd := &exec.Cmd{Path: p.executable(), Args: append([]string{p.path}, args...), Env: env}
	bind(cmd)
	return &child{cmd: cmd, log: log, ended: make(chan struct{})}
}

// Start implements runner.Runner.
func (c *child) Start(context.Context) error {
	theirs, err := c.pipe()
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	if err == nil {
		err = c.begin()
	}
	if err != nil {
		c.release()
		return fmt.Errorf("start %s: %w", c.Name(), err)
	}
	go c.wait()
	return nil
}

func (c *child) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != fresh {
		return errors.New("it is to end already")
	}
	c.state = over
	if err := start(c.cmd); err != nil {
		return err
	}
	c.state, c.hasBegun = running, true
	return nil
}

// pipe connects the streams to our own pipes, so that waiting for the process does not mean waiting
// for its children. It returns the ends that the process gets.
func (c *child) pipe() (theirs []*os.File, err error) {
	open := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	inR, inW := open()
	outR, outW := open()
	errR, errW := open()
	if err != nil {
		return nil, fmt.Errorf("make pipes: %w", err)
	}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = inR, outW, errW
	c.stdin, c.stdout, c.stderr = inW, outR, errR
	c.reads.Go(func() { c.log.read(errR) })
	return []*os.File{inR, outW, errW}, nil
}

func (c *child) wait() {
	err := c.cmd.Wait()
	c.mu.Lock()
	killAll(c.cmd) // its children
	c.state = over
	c.mu.Unlock()
	c.stdin.Close()
	for _, r := range []*os.File{c.stdout, c.stderr} {
		_ = r.SetReadDeadline(time.Now().Add(patience)) // a child that has escaped may have the other end
	}
	c.reads.Wait()
	c.err = c.describe(err)
	close(c.ended)
}

// release closes our ends of the pipes that are still open. They may not be read afterwards.
func (c *child) release() {
	for _, f := range []*os.File{c.stdin, c.stdout, c.stderr} {
		f.Close() // safe for nil
	}
}

// patience is how long to wait for the remaining output of a process that has ended.
const patience = time.Second

// describe returns how the process ended, and its last output.
func (c *child) describe(err error) error {
	how := "it ended by itself"
	switch {
	case c.wasKilled:
		how = "it was killed by its host"
	case err != nil:
		how = strings.TrimSpace(err.Error())
	}
	if last := c.log.last(); last != "" {
		how += ": " + last
	}
	return errors.New(how)
}

// why returns how the process ended. It may be called after the end.
func (c *child) why() error { return c.err }

// kill ends the process, or prevents its start.
func (c *child) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == running {
		c.wasKilled = true
		killAll(c.cmd)
		return
	}
	c.state = over
}

// awaitEnd waits for the end of a process that is ending. It returns at once if there was no
// process.
func (c *child) awaitEnd() {
	c.mu.Lock()
	hasBegun := c.hasBegun
	c.mu.Unlock()
	if hasBegun {
		<-c.ended
	}
}

// Kill implements runner.Runner. go-plugin calls it when the handshake has failed. Usually the
// process is about to end by itself, and its reason will then be known in a moment.
func (c *child) Kill(context.Context) error {
	select {
	case <-c.ended:
	case <-time.After(patience / 4):
		c.kill()
	}
	return nil
}

// Wait implements runner.Runner.
func (c *child) Wait(context.Context) error {
	<-c.ended
	return nil
}

// Stdout implements runner.Runner.
func (c *child) Stdout() io.ReadCloser { return c.stdout }

// Stderr implements runner.Runner.
func (c *child) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

// Diagnose implements runner.Runner.
func (c *child) Diagnose(context.Context) string { return "" }

// Name implements runner.Runner.
func (c *child) Name() string { return c.cmd.Args[0] }

// ID implements runner.Runner. It returns "" while there is no process.
func (c *child) ID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hasBegun {
		return ""
	}
	return strconv.Itoa(c.cmd.Process.Pid)
}

// PluginToHost implements runner.Runner.
func (c *child) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin implements runner.Runner.
func (c *child) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
