//go:build unix

package engine_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

// TestSignals sends signals to the real command while it waits for a file that never arrives. The
// command ends with a message.
func TestSignals(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		for _, name := range []string{"generate", "check", "show", "diff"} {
			t.Run(name+" "+signal.String(), func(t *testing.T) {
				t.Parallel()
				config := filepath.Join(t.TempDir(), "strata.yaml")
				if err := syscall.Mkfifo(config, 0o600); err != nil {
					t.Fatal(err)
				}
				var errs bytes.Buffer
				c := exec.Command(binary, name, "--config", config)
				c.Args[0], c.Stderr = "strata", &errs // testscript makes the command of the name
				c.Env = append(os.Environ(), "XDG_CACHE_HOME="+t.TempDir())
				runs(t, c, config, signal)
				if code := c.ProcessState.ExitCode(); code != interruptCode(signal) || !strings.Contains(errs.String(), "strata: error: interrupted\n") {
					t.Errorf("exit code %d, %s", code, &errs)
				}
			})
		}
	}
}

// interruptCode returns the exit code of a run that a signal has interrupted.
func interruptCode(signal os.Signal) int {
	if signal == os.Interrupt {
		return cli.Interrupted
	}
	return cli.Terminated
}

// runs runs a command, and sends a signal once it reads a pipe.
func runs(t *testing.T, c *exec.Cmd, pipe string, signal os.Signal) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the reader
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if err := c.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // the caller looks at the exit code
}
