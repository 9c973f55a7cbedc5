//go:build unix

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// asCommand is the variable that makes the test binary run the command.
const asCommand = "STRATA_TEST_CLUSTER_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestSignals sends signals to the real command while it waits for an API server that never
// answers, and checks its exit code.
func TestSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		called := make(chan struct{}, 1)
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case called <- struct{}{}:
			default:
			}
			<-r.Context().Done()
		}))
		kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
		text := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "c",
			"clusters": [{"name": "c", "cluster": {"server": %q}}], "contexts": [{"name": "c", "context": {"cluster": "c"}}]}`, server.URL)
		if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), self, "versions", "Person", "--kubeconfig", kubeconfig)
		c.Env = append(os.Environ(), asCommand+"=1")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		<-called
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		err = c.Wait()
		if want := 128 + int(signal); c.ProcessState.ExitCode() != want {
			t.Errorf("after %v it ends with %v, want exit code %d", signal, err, want)
		}
		server.Close()
	}
}
