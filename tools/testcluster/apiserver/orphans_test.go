//go:build unix

package apiserver_test

import (
	"bufio"
	"context"
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

	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// remains are the folder and processes that a cluster might leave behind.
type remains struct {
	Dir       string
	Processes []process.Process
}

// TestKilledProcessesLeaveNoFiles starts a cluster in another process, and kills that.
func TestKilledProcessesLeaveNoFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	if os.Getenv("KUBE_CHILD") != "" {
		printRemains(t)
	}
	self := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	self.Env = append(os.Environ(), "KUBE_CHILD=1")
	self.Stderr = os.Stderr
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
	var l remains
	if err := errors.Join(err, json.Unmarshal(line, &l)); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		if _, err := os.Stat(l.Dir); errors.Is(err, fs.ErrNotExist) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	mustBeGone(t, l)
}

func TestServerThatEndsByItself(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	c, err := apiserver.Start(t.Context(), apiserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Processes()[0].Signal(syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	const want = "kube-apiserver ended by itself (signal: killed)"
	if err := c.Ended(t.Context()); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error = %v, want %s", err, want)
	}
	if err := c.Stop(); err == nil || !strings.HasPrefix(err.Error(), "stop cluster: "+want) {
		t.Errorf("stop: %v", err)
	}
	mustBeGone(t, remains{filepath.Dir(c.Kubeconfig), c.Processes()})
}

func printRemains(t *testing.T) {
	c, err := apiserver.Start(context.Background(), apiserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(remains{filepath.Dir(c.Kubeconfig), c.Processes()}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Minute)
}

func mustBeGone(t *testing.T, l remains) {
	t.Helper()
	if len(l.Processes) != 2 {
		t.Errorf("%d processes were started, want two", len(l.Processes))
	}
	for _, p := range l.Processes {
		if !p.Ended(10 * time.Second) {
			t.Errorf("process %d is left", p.PID)
		}
	}
	mustNotExist(t, l.Dir)
}
