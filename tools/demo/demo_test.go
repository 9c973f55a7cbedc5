package demo_test

import (
	"bytes"
	"context"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/demo"
)

var update = flag.Bool("update", false, "write what the demo says into testdata")

const golden = "testdata/story.txt"

// TestWithoutTerminal runs the built command with its output in a file, as CI does. It ends by
// itself, prints the expected lines, and leaves no process or file.
func TestWithoutTerminal(t *testing.T) {
	tier.Long(t, "runs the demo")
	file := filepath.Join(t.TempDir(), "strata-demo")
	if err := programs.Build(t.Context(), command.In{}, file, "./cmd/strata-demo"); err != nil {
		t.Fatal(err)
	}
	left := temporary(t)
	cmd := exec.Command(file)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, printed, messages.String())
	}
	nothingIsLeft(t, left)
	if *update {
		if err := os.WriteFile(golden, printed, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(printed)); diff != "" {
		t.Error(diff)
	}
}

// TestOnTerminal checks that the demo continues after the story until it is interrupted, with a
// cluster that the printed commands can use.
func TestOnTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	tier.Long(t, "runs the demo")
	left := temporary(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var address, used string
	out := &listener{until: "kubectl explain", then: func(printed string) {
		defer interrupt()
		exports := strings.Join(regexp.MustCompile(`export \w+="[^"]*"`).FindAllString(printed, -1), "\n")
		play := exec.Command("sh", "-c", exports+"\nkubectl get persons ada -o name && kubectl config view -o jsonpath='{.clusters[0].cluster.server}'")
		text, err := play.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		used, address, _ = strings.Cut(string(text), "\n")
	}}
	err := demo.Run(ctx, demo.Options{Out: out, Coloured: true, Stay: true, Report: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	nothingIsLeft(t, left)
	if used != "person.crm.example.com/ada" {
		t.Errorf("while the cluster stays there is %q", used)
	}
	if conn, err := net.Dial("tcp", strings.TrimPrefix(address, "https://")); err == nil {
		_ = conn.Close()
		t.Errorf("%s is still served", address)
	}
	if !strings.Contains(out.lines.String(), "\x1b[32m+        \"familyName\": \"Lovelace\",\x1b[0m") {
		t.Error("what is new in the diff is not green")
	}
}

// temporary makes a folder the one for temporary files of the demo: all its processes have theirs
// there.
func temporary(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "demo-") // short, since there are sockets below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

func nothingIsLeft(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v are left (%v)", left, err)
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline") // none but on Linux
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if text, err := os.ReadFile(line); err == nil && bytes.Contains(text, []byte(dir)) {
			t.Errorf("a process is left, %s: %q", line, text)
		}
	}
}

// listener acts once, when a text was printed.
type listener struct {
	mu    sync.Mutex
	lines bytes.Buffer
	until string
	then  func(printed string)
}

func (l *listener) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines.Write(text)
	if l.then != nil && strings.Contains(l.lines.String(), l.until) {
		then := l.then
		l.then = nil
		go then(l.lines.String())
	}
	return len(text), nil
}
