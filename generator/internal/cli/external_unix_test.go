//go:build unix

package cli_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSignalsOfExternalPrograms: a program that is a command of strata gets each signal once, from
// a terminal, which sends it to all processes of a group, and from a program that sends it to
// strata alone. The exit code is the program's.
func TestSignalsOfExternalPrograms(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, "strata-waiting")); err != nil {
		t.Fatal(err)
	}
	for name, send := range map[string]func(pid int, s syscall.Signal) error{
		"to all processes of the group": func(pid int, s syscall.Signal) error { return syscall.Kill(-pid, s) },
		"to strata alone":               syscall.Kill,
	} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(s.String()+" "+name, func(t *testing.T) {
				t.Parallel()
				c := exec.Command(self, "waiting")
				c.Args[0] = "strata" // testscript makes the command of the name
				c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
				c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				c.Stderr = os.Stderr
				out, err := c.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				printed := bufio.NewReader(out)
				if line, err := printed.ReadString('\n'); err != nil || line != "ready\n" {
					t.Fatalf("printed %q, %v", line, err)
				}
				if err := send(c.Process.Pid, s); err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(printed)
				if err != nil {
					t.Fatal(err)
				}
				_ = c.Wait() // the exit code says more
				if code := c.ProcessState.ExitCode(); code != 7 || strings.TrimSpace(string(got)) != s.String() {
					t.Errorf("exit code %d, signals %q", code, got)
				}
			})
		}
	}
}
