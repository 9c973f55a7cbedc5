package tutorial_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/assets"
	"github.com/stratakube/strata/tools/modules"
	"github.com/stratakube/strata/tools/tutorial"
)

// TestTutorial does what the tutorial says, command by command, in an empty folder.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(w.Root, "docs", "guide", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := tutorial.Read(strings.ReplaceAll(string(text), "9443", freePort(t)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(page.Commands()); n > 15 {
		t.Errorf("the tutorial has %d commands", n)
	}
	dir := t.TempDir()
	s := shell{dir: dir, env: environment(t, w.Root)}
	begun := time.Now()
	printed, err := s.run(t, page.Script())
	t.Logf("the tutorial took %s", time.Since(begun).Round(time.Second))
	if err != nil {
		webhook, _ := os.ReadFile(filepath.Join(dir, "demo", "webhook.log"))
		t.Fatalf("%v\n%s\nthe webhook said:\n%s", err, printed, webhook)
	}
	outputs := page.Outputs(printed)
	for i, step := range page.Steps {
		got, ran := outputs[i]
		switch {
		case step.Command == "":
		case !ran:
			t.Errorf("%s was not run", step.Command)
		case step.Output != "" && !strings.Contains(got, step.Output):
			t.Errorf("%s printed\n%s\nthe page says\n%s", step.Command, got, step.Output)
		}
	}
}

// environment lets the clone come from this checkout, and a cluster of its own be made of the programs that are built already.
func environment(t *testing.T, root string) []string {
	t.Helper()
	programs, err := assets.Build(t.Context(), func(line string) { t.Log(line) }, assets.Etcd, assets.APIServer, assets.Kubectl)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	short, err := os.MkdirTemp("", "strata-tutorial-") // not in t.TempDir: paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	return append(os.Environ(),
		"GOWORK=", "GOFLAGS=-trimpath", "GOCACHE="+strings.TrimSpace(string(cache)), "XDG_CACHE_HOME="+short, "KUBEBUILDER_ASSETS="+string(programs),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+root+".insteadOf", "GIT_CONFIG_VALUE_0=https://github.com/stratakube/strata")
}

// shell runs a script in a process group of its own.
type shell struct {
	dir string
	env []string
}

func (s shell) run(t *testing.T, script string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env, &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 30 * time.Second // what was started in the background drains
	t.Cleanup(func() {
		// If the script has not come to its end, what it has started is still there.
		down := exec.CommandContext(context.Background(), "go", "-C", filepath.Join(s.dir, "strata"), "tool", "mage", "cluster:down")
		down.Env = s.env
		_ = down.Run()
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
	})
	err := cmd.Run()
	return out.String(), err
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}

func TestRead(t *testing.T) {
	const page = "Do:\n\n```sh\necho a\necho b\n```\n\n```json\nb\n```\n\nSave this as `x/y.txt`:\n\n```text\nfirst\n```\n\nAdd this to the end of `x/y.txt`:\n\n```text\nlast\n```\n\n```sh\ncat x/y.txt\n```\n"
	p, err := tutorial.Read(page)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Commands(), "; "); got != "echo a; echo b; cat x/y.txt" {
		t.Errorf("commands are %s", got)
	}
	printed, err := shell{dir: t.TempDir(), env: os.Environ()}.run(t, p.Script())
	if err != nil {
		t.Fatal(err, printed)
	}
	outputs := p.Outputs(printed)
	if outputs[0] != "a\n" || outputs[1] != p.Steps[1].Output || outputs[4] != "first\nlast\n" {
		t.Errorf("printed %v", outputs)
	}
	if _, err := tutorial.Read("Look:\n\n```json\n{}\n```\n"); err == nil {
		t.Error("a block that nobody speaks of is taken for something")
	}
}
