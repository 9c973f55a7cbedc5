//go:build unix

package main

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// asCommand is the variable that makes the test binary run the command.
const asCommand = "STRATA_TEST_ARM_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

const manifest = `{"version": 1, "resources": [
	{"source":{"kind":"arm","type":"Microsoft.Crm/persons","version":"2019-09-09"},"group":"crm.example.com","version":"v20190909","kind":"Person","plural":"persons","served":true}
]}`

const definition = `spec: {versions: [{name: v20190909, schema: {openAPIV3Schema: {properties: {spec: {type: object}}}}}]}`

// TestImportEndsOnSignals sends signals to the real command while it waits for an answer of ARM.
// The command ends, reports that and writes nothing. One of three tries has to end in time, since
// the machine may be busy.
func TestImportEndsOnSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			var took time.Duration
			for range 3 {
				if took = endsOnSignal(t, signal); took < 1500*time.Millisecond {
					return
				}
			}
			t.Errorf("it ended %s after the signal", took)
		})
	}
}

// endsOnSignal returns how long the command took to end after a signal.
func endsOnSignal(t *testing.T, signal syscall.Signal) time.Duration {
	t.Helper()
	dir := t.TempDir()
	definitions := filepath.Join(dir, "crds")
	if err := errors.Join(
		os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(manifest), 0o600),
		os.Mkdir(definitions, 0o700),
		os.WriteFile(filepath.Join(definitions, "persons.crm.example.com.yaml"), []byte(definition), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	called := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case called <- struct{}{}:
		default:
		}
		<-r.Context().Done() // it never answers
	}))
	defer server.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	c := exec.Command(self, "import", "--output", "out.yaml", "--config", "cloud=custom", "--config", "endpoint="+server.URL, "--config", "credentials=none",
		"/subscriptions/s/resourceGroups/g/providers/Microsoft.Crm/persons/anna")
	c.Dir, c.Stdout, c.Stderr = dir, &out, &errs
	c.Env = append(os.Environ(), asCommand+"=1")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case <-called:
	case err := <-ended:
		t.Fatalf("it ended before it called ARM: %v, %s", err, &errs)
	}
	if err := c.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := <-ended; err == nil {
		t.Error("it ended without an error")
	}
	took := time.Since(began)
	if code := c.ProcessState.ExitCode(); code != 128+int(signal) || errs.String() != "strata arm: error: interrupted\n" || out.Len() > 0 {
		t.Errorf("exit code %d, %q, %q", code, &out, &errs)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 2 {
		t.Errorf("files %q, %v", files, err)
	}
	return took
}
