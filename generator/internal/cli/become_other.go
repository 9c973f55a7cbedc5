//go:build !unix

package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
)

// become runs a program with the streams of this process, and returns its exit code. An interrupt
// reaches both processes of a console: the program decides what to do, and this process waits for
// it.
func become(ctx context.Context, program string, args []string) (int, error) {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt) // a second one does not end this process
	defer signal.Stop(interrupts)
	if ctx.Err() != nil {
		return Failed, ctx.Err()
	}
	command := exec.Command(program, args...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return Done, nil
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), nil
	}
	return Failed, err
}
