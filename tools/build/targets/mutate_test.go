//go:build unix

package targets_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/targets"
	"github.com/stratakube/strata/tools/build/testrun/tier"
)

// mutated is a workspace with a target of mage mutate. Mutants of Wait sleep, or survive at once.
const mutated = `
-- go.work --
go 1.26.0
use ./webhook
-- webhook/go.mod --
module example.com/webhook
go 1.26.0
-- webhook/certs/certs.go --
package certs

import "time"

func First(a int) bool { return a > 0 }

func Wait(a, b, c int) {
	if a > 0 || b > 0 || c > 0 {
		time.Sleep(time.Hour)
	}
}
-- webhook/certs/certs_test.go --
package certs

import "testing"

func TestWait(t *testing.T) {
	First(0)
	Wait(0, 0, 0)
}
-- docs/reports/mutation.md --
## Results

| package | mutants |
|---|---|
| ` + "`runtime`" + ` | 7 |
`

const runsMutants = "STRATA_TEST_MUTATE_IN"

// TestInterruptedMeasurementIsPrinted starts this test once more as a process of its own, which
// measures mutants and receives a signal after the first verdict. The page that it writes keeps the
// row of a package that was not measured.
func TestInterruptedMeasurementIsPrinted(t *testing.T) {
	tier.Long(t, "builds gremlins, and measures with it")
	if dir := os.Getenv(runsMutants); dir != "" {
		t.Chdir(dir)
		t.Fatal(targets.Mutate(asMage(), "certs", true))
	}
	if testing.Short() {
		t.Skip("short: builds gremlins, and programs of tests")
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			dir := mutatedWorkspace(t)
			printed, state := interrupted(t, dir, s)
			if ofSignal := state.Signaled() && state.Signal() == s; ofSignal != (s == syscall.SIGTERM) || !ofSignal && state.ExitStatus() != 1 {
				t.Errorf("the process ended with %v", state)
			}
			page, err := os.ReadFile(filepath.Join(dir, "docs", "reports", "mutation.md"))
			if err != nil {
				t.Fatal(err)
			}
			const row, whole, list = "| `webhook/certs` | 10 | ", "| `webhook/certs` | 10 | 10 |", "## Mutants of `webhook/certs` that survive"
			for what, text := range map[string]string{"printed": printed, "written": string(page)} {
				if !strings.Contains(text, row) || strings.Contains(text, whole) || !strings.Contains(text, list) {
					t.Errorf("%s, without what was found before the signal:\n%s", what, text)
				}
			}
			if !strings.Contains(string(page), "| `runtime` | 7 |\n") || strings.Contains(printed, "`runtime`") {
				t.Errorf("the row of another package is printed, or not kept:\n%s", page)
			}
		})
	}
}

// asMage is the context that mage gives to a target: SIGINT ends it, and a second one the process.
func asMage() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	go func() {
		<-signals
		cancel()
		<-signals
		fmt.Fprintln(os.Stderr, "a second signal")
		os.Exit(3)
	}()
	return ctx
}

// interrupted measures the mutants of a workspace, and sends a signal when one has survived.
func interrupted(t *testing.T, dir string, s syscall.Signal) (printed string, state syscall.WaitStatus) {
	t.Helper()
	self := exec.Command(os.Args[0], "-test.run=^TestInterruptedMeasurementIsPrinted$")
	self.Env = append(os.Environ(), runsMutants+"="+dir, "XDG_CACHE_HOME="+t.TempDir(), "GOCACHE="+goCache(t))
	var stdout bytes.Buffer
	self.Stdout = &stdout
	stderr, err := self.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = self.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "survived") {
			if err := self.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	for lines.Scan() { // or it would wait for a reader
		t.Log(lines.Text())
	}
	_ = self.Wait()
	return stdout.String(), self.ProcessState.Sys().(syscall.WaitStatus)
}

func goCache(t *testing.T) string {
	t.Helper()
	cache, err := command.In{}.Output(t.Context(), "go", "env", "GOCACHE")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(cache)
}

// mutatedWorkspace is the workspace, with the module of gremlins. The first mutants survive at
// once, and the others wait until the measurement gives them up.
func mutatedWorkspace(t *testing.T) string {
	t.Helper()
	own, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(mutated)), dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "tools", "build", "mutation", "gremlins"), os.DirFS(filepath.Join(own.Root, "tools", "build", "mutation", "gremlins"))); err != nil {
		t.Fatal(err)
	}
	return dir
}
