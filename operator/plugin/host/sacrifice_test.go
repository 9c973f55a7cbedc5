package host_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/plugin/provider"
)

// sacrificeVariable makes this test program a host that will be killed. Its value has the program,
// the folder of sockets and the argument.
const sacrificeVariable = "STRATA_TEST_SACRIFICE"

func sacrifice() {
	parts := strings.Split(os.Getenv(sacrificeVariable), "|")
	built.program, built.sockets = func() string { return parts[0] }, parts[1]
	o := options(plugin(parts[2]))
	o.Log = quiet()
	h, err := host.Open(o)
	if err == nil {
		_, err = host.Get(context.Background(), h, provider.Latest, files, nil)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	p, _ := provider.Get(context.Background(), h, files, nil)
	out, err := observe(context.Background(), p, "")
	fmt.Printf("%s %v\n", out.GetStatus(), err)
	select {}
}

// TestPluginsEndWithTheirHost kills hosts by a signal that they cannot handle.
func TestPluginsEndWithTheirHost(t *testing.T) {
	tests := []struct {
		reason, start string
		stop          bool
	}{
		{reason: "a good plugin", start: ""},
		{reason: "one that ignores signals", start: "stubborn"},
		{reason: "one that hangs", stop: true},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			doomed := exec.Command(os.Args[0])
			doomed.Env = append(os.Environ(), sacrificeVariable+"="+strings.Join([]string{built.program(), built.sockets, "-start=" + test.start}, "|"))
			out, err := doomed.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := doomed.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var pid int
			if _, err := fmt.Sscanf(line, `{"pid":%d`, &pid); err != nil {
				t.Fatalf("the host said %q", line)
			}
			if test.stop {
				freeze(t, pid)
			}
			if err := doomed.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = doomed.Wait()
			gone(t, pid)
		})
	}
	// The next host removes the folders of killed ones.
	plugintest.Get(t, open(t), provider.Latest, files, nil)
	if left := leftovers(t.TempDir()); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// freeze stops a process so that it does not answer. On a busy machine it may still answer for a
// while after the signal.
func freeze(t *testing.T, pid int) {
	t.Helper()
	if err := pause(pid); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return state(pid) == "T" }, "process %d does not stop", pid)
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	until(t, func() bool { return !isThere(pid) }, "process %d is still there", pid)
}

// until waits for a condition that usually holds at once, and fails if it never does.
func until(t *testing.T, done func() bool, format string, args ...any) {
	t.Helper()
	for limit := time.Now().Add(timeoutOfTests); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf(format, args...)
		}
	}
}

// state returns the system's letter for the state of a process.
func state(pid int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	return rest[:min(1, len(rest))]
}

// kill ends a process at once.
func kill(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

// isThere returns false for zombies.
func isThere(pid int) bool {
	now := state(pid)
	return now != "" && now != "Z"
}
