//go:build unix

package shared_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/testcluster/process"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

func TestMain(m *testing.M) { shared.Main(m) }

// remains are the folder and processes that a cluster might leave behind.
type remains struct {
	Dir       string
	Processes []process.Process
}

// TestEndOfTests ends tests that have a cluster, in another process, in each way that tests can
// end.
func TestEndOfTests(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	if ending := os.Getenv("ENDING"); ending != "" {
		inner(t, ending)
		return
	}
	for _, test := range []struct {
		ending string
		code   int
	}{
		{"passed", 0},
		{"panic", 2},
		{"interrupt", 130},
	} {
		t.Run(test.ending, func(t *testing.T) {
			l, printed, code := outer(t, test.ending)
			if code != test.code {
				t.Errorf("the tests exited with %d, want %d, and said\n%s", code, test.code, printed)
			}
			for _, p := range l.Processes {
				if !p.Ended(10 * time.Second) {
					t.Errorf("process %d is left", p.PID)
				}
			}
			for range 1000 {
				if _, err := os.Stat(l.Dir); errors.Is(err, fs.ErrNotExist) {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Errorf("%s is left", l.Dir)
		})
	}
}

func inner(t *testing.T, ending string) {
	c := shared.Of(t)
	if shared.Of(t) != c {
		t.Error("there are two clusters")
	}
	if err := json.NewEncoder(os.Stdout).Encode(remains{filepath.Dir(c.Kubeconfig), c.Processes()}); err != nil {
		t.Fatal(err)
	}
	switch ending {
	case "panic":
		panic("as the test wants it")
	case "interrupt":
		time.Sleep(10 * time.Minute)
	}
}

func outer(t *testing.T, ending string) (l remains, printed string, code int) {
	t.Helper()
	self := exec.Command(os.Args[0], "-test.run=^TestEndOfTests$")
	self.Env = append(os.Environ(), "ENDING="+ending)
	var messages bytes.Buffer
	self.Stderr = &messages
	out, err := self.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Start(); err != nil {
		t.Fatal(err)
	}
	rest := bufio.NewReader(out)
	line, err := rest.ReadBytes('\n')
	if ending == "interrupt" {
		err = errors.Join(err, self.Process.Signal(syscall.SIGINT))
	}
	_, _ = rest.WriteTo(io.Discard)
	_ = self.Wait()
	if err := errors.Join(err, json.Unmarshal(line, &l)); err != nil || len(l.Processes) != 2 {
		t.Fatalf("the tests said %s (%v)\n%s", line, err, messages.String())
	}
	return l, messages.String(), self.ProcessState.ExitCode()
}
