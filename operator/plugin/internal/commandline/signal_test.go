//go:build unix

package commandline_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stratakube/strata/operator/plugin/internal/commandline"
)

// asCommand is the variable that makes the test binary run a command that waits.
const asCommand = "STRATA_TEST_COMMANDLINE"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) == "" {
		os.Exit(m.Run())
	}
	waits := func(ctx context.Context, args []string, s commandline.Streams) error {
		fmt.Fprintln(s.Out, "waiting")
		<-ctx.Done()
		if len(args) > 0 {
			return commandline.Found(ctx.Err())
		}
		return ctx.Err()
	}
	os.Exit(commandline.Program{Name: "test", Commands: []commandline.Command{{Name: "wait", Run: waits}}}.Main())
}

// TestMainEndsOnSignals checks the exit codes of a process that a signal interrupts.
func TestMainEndsOnSignals(t *testing.T) {
	for _, test := range []struct {
		signal syscall.Signal
		args   []string
		want   int
	}{
		{syscall.SIGINT, []string{"wait"}, 130},
		{syscall.SIGTERM, []string{"wait"}, 143},
		{syscall.SIGTERM, []string{"wait", "and-find"}, commandline.Findings},
	} {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), self, test.args...)
		c.Env = append(os.Environ(), asCommand+"=1")
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "waiting\n" {
			t.Fatalf("printed %q, %v", line, err)
		}
		if err := c.Process.Signal(test.signal); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != test.want {
			t.Errorf("%v after %v ends with %v, want exit code %d", test.args, test.signal, err, test.want)
		}
	}
}
