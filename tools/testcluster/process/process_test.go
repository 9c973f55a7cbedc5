//go:build unix

package process_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/testcluster/process"
)

func TestProcessAndItsEnd(t *testing.T) {
	p, cmd := sleeper(t)
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var read process.Process
	if err := json.Unmarshal(text, &read); err != nil || !read.Runs() {
		t.Fatalf("read %s: runs %t, error %v", text, read.Runs(), err)
	}

	if err := read.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if !read.Ended(time.Minute) {
		t.Error("the process goes on after SIGTERM")
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("the process ended with %v", err)
	}
	for _, known := range []bool{read.Runs(), errors.Is(read.Signal(syscall.SIGTERM), nil)} {
		if known {
			t.Error("a process that has ended is taken for a running one")
		}
	}
	if err := read.Signal(syscall.SIGTERM); !errors.Is(err, process.ErrEnded) {
		t.Errorf("error = %v, want ErrEnded", err)
	}
}

// TestForeignProcess is about a number that another process has by now.
func TestForeignProcess(t *testing.T) {
	p, _ := sleeper(t)
	earlier := process.Process{PID: p.PID, Began: "1"}
	if earlier.Runs() {
		t.Error("the process is taken for one that had its number before")
	}
	if err := earlier.Signal(syscall.SIGKILL); !errors.Is(err, process.ErrEnded) {
		t.Errorf("error = %v, want ErrEnded", err)
	}
	if !p.Runs() {
		t.Error("a foreign process was ended")
	}
}

func sleeper(t *testing.T) (process.Process, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	p, err := process.Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if self, err := process.Of(os.Getpid()); err != nil || self == p {
		t.Fatalf("this process is %v (error %v)", self, err)
	}
	return p, cmd
}
