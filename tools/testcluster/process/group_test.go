//go:build unix

package process_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/testcluster/process"
)

func TestGroupEndsInGoodOrder(t *testing.T) {
	g := open(t)
	polite, err := g.Start("/bin/sh", filepath.Join(g.Dir, "log"), "-c", "echo $PWD; trap 'exit 3' TERM; echo ready; while :; do sleep 0.1; done")
	if err != nil {
		t.Fatal(err)
	}
	for !strings.Contains(polite.Output(), "ready") {
		time.Sleep(10 * time.Millisecond)
	}
	if dir, _, _ := strings.Cut(polite.Output(), "\n"); dir != g.Dir {
		t.Errorf("the program works in %s, want %s", dir, g.Dir)
	}
	if info, err := os.Stat(g.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v (%v), want it for this user alone", info.Mode(), err)
	}

	for range 2 {
		if err := g.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if polite.Process.Runs() {
		t.Error("the program goes on")
	}
	mustBeGone(t, g.Dir)
}

func TestProgramThatWasKilledHasNothingMoreToDo(t *testing.T) {
	g := open(t)
	p, err := g.Start("/bin/sh", filepath.Join(g.Dir, "log"), "-c", "trap '' TERM; while :; do sleep 0.1; done")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if p.Process.Runs() {
		t.Error("the program goes on")
	}
	if err := g.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestProgramThatEndsByItself(t *testing.T) {
	g := open(t)
	log := filepath.Join(t.TempDir(), "log")
	p, err := g.Start("/bin/sh", log, "-c", "echo no such luck; sleep 0.2; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	want := "sh ended by itself (exit status 3)\nno such luck"
	if err := g.Close(); err == nil || err.Error() != want {
		t.Errorf("close: %v, want %s", err, want)
	}
	mustBeGone(t, g.Dir)
}

func TestProgramThatIsNotThere(t *testing.T) {
	g := open(t)
	if _, err := g.Start(filepath.Join(g.Dir, "gone"), filepath.Join(g.Dir, "log")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("start: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// processes is the output of a process that has a group.
type processes struct {
	Dir     string
	Program process.Process
}

// TestNothingOutlivesKilledProcess starts a group in another process, whose program does not care
// for signals, and kills that process.
func TestNothingOutlivesKilledProcess(t *testing.T) {
	if os.Getenv("CHILD") != "" {
		printProcesses(t)
	}
	self := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	self.Env = append(os.Environ(), "CHILD=1")
	out, err := self.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	_ = self.Process.Signal(syscall.SIGKILL)
	_ = self.Wait()
	var of processes
	if err := errors.Join(err, json.Unmarshal(line, &of)); err != nil {
		t.Fatal(err)
	}

	if !of.Program.Ended(time.Minute) {
		_ = of.Program.Signal(syscall.SIGKILL)
		t.Error("the program is an orphan")
	}
	for range 1000 {
		if _, err := os.Stat(of.Dir); errors.Is(err, fs.ErrNotExist) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%s is left", of.Dir)
}

func printProcesses(t *testing.T) {
	g, err := process.Open("strata-child-")
	if err != nil {
		t.Fatal(err)
	}
	script := "trap '' INT HUP; while :; do echo x > file; sleep 0.01; done"
	p, err := g.Start("/bin/sh", filepath.Join(g.Dir, "log"), "-c", script)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(processes{g.Dir, p.Process}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Minute)
}

func open(t *testing.T) *process.Group {
	t.Helper()
	g, err := process.Open("strata-child-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

func mustBeGone(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left (%v)", dir, err)
	}
}
