//go:build unix

package background_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/build/filelock"
	"github.com/stratakube/strata/tools/testcluster/background"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// TestForeignProcessesAreLeftAlone is about folders whose supervisor is gone, and whose numbers
// another process has.
func TestForeignProcessesAreLeftAlone(t *testing.T) {
	foreign, _ := sleeper(t)
	earlier := process.Process{PID: foreign.PID, Began: "1"}
	tests := []struct {
		reason   string
		state    any
		isLocked bool
		err      string
		isLeft   bool // the state
	}{
		{reason: "there never was a cluster"},
		{
			reason: "all have ended, and their numbers were given again",
			state:  background.State{Supervisor: earlier, Servers: []process.Process{earlier, earlier}},
		},
		{
			reason:   "somebody has the lock, but not the process that is named",
			state:    background.State{Supervisor: earlier, Servers: []process.Process{earlier}},
			isLocked: true, isLeft: true,
			err: "is not about the process that has the lock",
		},
		{
			reason:   "somebody has the lock and has not said who that is",
			isLocked: true,
			err:      "read state of cluster",
		},
		{
			reason: "the state cannot be read",
			state:  "nonsense",
			err:    "cannot unmarshal string",
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			dir := t.TempDir()
			state := filepath.Join(dir, "state.json")
			if test.state != nil {
				write(t, state, test.state)
			}
			if test.isLocked {
				unlock, err := filelock.Wait(t.Context(), filepath.Join(dir, "lock"), func() {})
				if err != nil {
					t.Fatal(err)
				}
				defer unlock()
			}
			wasRunning, err := background.At(dir).Down(t.Context())
			if wasRunning || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("was running: %t, error %v, want %q", wasRunning, err, test.err)
			}
			if _, err := os.Stat(state); (err == nil) != test.isLeft {
				t.Errorf("state is left: %t, want %t", err == nil, test.isLeft)
			}
		})
	}
	if !foreign.Runs() {
		t.Error("a foreign process was ended")
	}
}

// TestOrphanedServersAreEnded is about a supervisor that was ended by force where the system
// does not end its servers.
func TestOrphanedServersAreEnded(t *testing.T) {
	server, cmd := sleeper(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "state.json"), background.State{
		Supervisor: process.Process{PID: server.PID, Began: "1"}, Servers: []process.Process{server},
	})
	go func() { _ = cmd.Wait() }()
	if _, err := background.At(dir).Down(t.Context()); err == nil || !strings.Contains(err.Error(), "had to be ended by force") {
		t.Errorf("error = %v", err)
	}
	if server.Runs() {
		t.Error("a server is left")
	}
}

func TestUpAndDown(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	folder := background.At(filepath.Join(t.TempDir(), "cluster"))
	if _, err := folder.State(); !errors.Is(err, background.ErrNone) {
		t.Errorf("before: %v", err)
	}
	first := up(t, folder, true)
	if again := up(t, folder, false); again.Supervisor != first.Supervisor {
		t.Errorf("there are two supervisors: %v and %v", first.Supervisor, again.Supervisor)
	}
	if printed, _, err := first.Kubectl.Run(t.Context(), "", "get", "namespaces"); err != nil || !strings.Contains(printed, "kube-system") {
		t.Errorf("kubectl says %s (%v)", printed, err)
	}
	mustGoDown(t, folder, first, true)
	if info, err := os.Stat(first.Kubectl.Kubeconfig); err == nil {
		t.Errorf("%v is left", info.Name())
	}

	second := up(t, folder, true)
	if err := second.Supervisor.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	second.Supervisor.Ended(time.Minute)
	mustGoDown(t, folder, second, false)
}

func TestClusterThatDoesNotStart(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does not build a command")
	}
	programs := t.TempDir()
	for _, name := range []string{"etcd", "kube-apiserver", "kubectl"} {
		script := "#!/bin/sh\necho no such luck\nexit 1\n"
		if err := os.WriteFile(filepath.Join(programs, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("KUBEBUILDER_ASSETS", programs)
	folder := background.At(t.TempDir())
	if _, isNew, err := folder.Up(t.Context(), func(line string) { t.Log(line) }); isNew || err == nil || !strings.Contains(err.Error(), "no such luck") {
		t.Errorf("new: %t, error %v; want what a server said", isNew, err)
	}
	if _, err := folder.State(); !errors.Is(err, background.ErrNone) {
		t.Errorf("after: %v", err)
	}
}

func up(t *testing.T, folder background.Folder, wantNew bool) background.State {
	t.Helper()
	s, isNew, err := folder.Up(t.Context(), func(line string) { t.Log(line) })
	if err != nil || isNew != wantNew || len(s.Servers) != 2 {
		t.Fatalf("up: new %t, want %t; %d servers, error %v", isNew, wantNew, len(s.Servers), err)
	}
	t.Cleanup(func() { _, _ = folder.Down(context.Background()) })
	return s
}

func mustGoDown(t *testing.T, folder background.Folder, s background.State, want bool) {
	t.Helper()
	if wasRunning, err := folder.Down(t.Context()); err != nil || wasRunning != want {
		t.Errorf("down: was running %t, want %t; error %v", wasRunning, want, err)
	}
	for _, p := range append(s.Servers, s.Supervisor) {
		if p.Runs() {
			t.Errorf("process %d is left", p.PID)
		}
	}
}

func write(t *testing.T, file string, content any) {
	t.Helper()
	text, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func sleeper(t *testing.T) (process.Process, *exec.Cmd) {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	p, err := process.Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return p, cmd
}
