package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Grace is the time that a program has to end after a signal. A deadline of the context is
// brought forward by three times as much, because mage exits at its deadline without waiting.
const Grace = time.Second

// In sets the folder, the environment and the streams of programs. The zero value has those of
// this process.
type In struct {
	Dir    string
	Env    []string // added to the environment; of two entries with one name the later one holds
	Stdout io.Writer
	Stderr io.Writer
	Ended  func(*os.ProcessState) // is called once a program has ended, unless it is nil
}

// Go runs the go command.
func (in In) Go(ctx context.Context, args ...string) error {
	return in.Run(ctx, "go", args...)
}

// Run shows the command line on the error stream, runs it and waits for it.
func (in In) Run(ctx context.Context, name string, args ...string) error {
	in = in.withStreams()
	fmt.Fprintf(in.Stderr, "+ %s\n", commandLine(name, args))
	return in.wait(ctx, name, args)
}

// Output runs a command without printing its output, and returns its standard output. Only the
// error contains its error output.
func (in In) Output(ctx context.Context, name string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	in.Stdout, in.Stderr = &stdout, &stderr
	if err := in.wait(ctx, name, args); err != nil {
		return "", fmt.Errorf("%w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.String(), nil
}

func (in In) withStreams() In {
	if in.Stdout == nil {
		in.Stdout = os.Stdout
	}
	if in.Stderr == nil {
		in.Stderr = os.Stderr
	}
	return in
}

func (in In) wait(ctx context.Context, name string, args []string) error {
	ctx, giveBack := Catch(ctx)
	ctx, stop := early(ctx)
	defer stop()

	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = in.Dir
	cmd.Env = append(cmd.Environ(), in.Env...)
	cmd.Stdout, cmd.Stderr = in.Stdout, in.Stderr
	cmd.WaitDelay = Grace
	endGroup := group(cmd)

	err := cmd.Run()
	if ctx.Err() != nil {
		endGroup()
		err = errors.Join(context.Cause(ctx), err)
	}
	giveBack()
	if in.Ended != nil && cmd.ProcessState != nil {
		in.Ended(cmd.ProcessState)
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", commandLine(name, args), err)
	}
	return nil
}

// early ends with ctx, but somewhat before its deadline.
func early(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-3*Grace))
}

func commandLine(name string, args []string) string {
	words := append([]string{name}, args...)
	for i, word := range words {
		if word == "" || strings.ContainsAny(word, " \t\n\"'$^*|&;()<>\\") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
