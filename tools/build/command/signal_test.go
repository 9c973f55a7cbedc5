//go:build unix

package command_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/build/command"
)

// TestSignalEndsProgramFirst starts this test once more as a separate process, which runs a
// program and then receives a signal.
func TestSignalEndsProgramFirst(t *testing.T) {
	if dir := os.Getenv("RUN_IN"); dir != "" {
		err := command.In{Dir: dir}.Run(t.Context(), "sh", "-c", "touch started; (sleep 2; touch late) & sleep 60")
		t.Fatalf("the process went on after the signal, with %v", err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			self := exec.Command(os.Args[0], "-test.run=^TestSignalEndsProgramFirst$")
			self.Env = append(os.Environ(), "RUN_IN="+dir)
			if err := self.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, filepath.Join(dir, "started"))
			if err := self.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}

			var exit *exec.ExitError
			if err := self.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != signal {
				t.Errorf("the process ended with %v, want it to end of the signal", err)
			}
			time.Sleep(2500 * time.Millisecond)
			if _, err := os.Stat(filepath.Join(dir, "late")); err == nil {
				t.Error("the program went on after the process that ran it")
			}
		})
	}
}

func waitFor(t *testing.T, path string) {
	t.Helper()
	for range 500 {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("%s did not come", path)
}
