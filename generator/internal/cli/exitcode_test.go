package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// fails runs strata in a script, and wants an exit code.
func fails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: fails CODE ARGS")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("strata", args[1:]...)
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) || exit.ExitCode() != want {
		ts.Fatalf("strata ended with %v, want exit code %d", err, want)
	}
}

// exitcode runs `exitcode WANT -interrupt PROGRAM ARGS...`. It sends the program the signal once
// the program waits, and fails unless it exits with that code. With -terminate it sends SIGTERM.
func exitcode() {
	want, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	signal, args := map[string]os.Signal{"-interrupt": os.Interrupt, "-terminate": syscall.SIGTERM}[os.Args[2]], os.Args[3:]
	command := exec.Command(args[0], args[1:]...)
	stderr := &announced{waits: make(chan struct{})}
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, stderr
	if err := command.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	select {
	case <-stderr.waits:
	case <-time.After(time.Minute):
		fmt.Fprintln(os.Stderr, "the program has not written that it is waiting")
	}
	_ = command.Process.Signal(signal)
	err = command.Wait()
	var exit *exec.ExitError
	got := 0
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	}
	if got != want {
		fmt.Fprintf(os.Stderr, "exit code %d, want %d\n", got, want)
		os.Exit(1)
	}
}

// announced passes on what a program writes, and closes waits when the program writes that it is
// waiting.
type announced struct {
	waits chan struct{}
	isSet bool
}

// Write passes on one write of the program, which has whole lines.
func (a *announced) Write(text []byte) (int, error) {
	if !a.isSet && bytes.Contains(text, []byte("waiting\n")) {
		a.isSet = true
		close(a.waits)
	}
	return os.Stderr.Write(text)
}

// waiting is a program that prints the signals that it gets, and ends some time after the first.
func waiting() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	fmt.Println("ready")
	fmt.Println(<-signals)
	more := time.After(500 * time.Millisecond)
	for {
		select {
		case s := <-signals:
			fmt.Println(s)
		case <-more:
			os.Exit(7)
		}
	}
}
