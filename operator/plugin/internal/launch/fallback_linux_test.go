package launch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// insideVariable makes this test run in its own process namespace.
const insideVariable = "STRATA_TEST_WITHOUT_MEMORY"

// TestWithoutSealedMemory runs on a kernel that does not run programs from memory
// (vm.memfd_noexec=2, which each process namespace can set). The file itself is then checked and
// run, and a changed one is refused.
func TestWithoutSealedMemory(t *testing.T) {
	if os.Getenv(insideVariable) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), insideVariable+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
		out, err := cmd.CombinedOutput()
		if errors.Is(err, os.ErrPermission) {
			t.Skip("needs a privileged user: makes a namespace of processes")
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if strings.Contains(string(out), "--- SKIP") {
			t.Skipf("needs a privileged user: %s", out)
		}
		return
	}
	if err := os.WriteFile("/proc/sys/vm/memfd_noexec", []byte("2"), 0); err != nil {
		t.Skipf("needs a privileged user: %v", err)
	}
	path := copyOfEcho(t)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := seal(file); !errors.Is(err, errors.ErrUnsupported) {
		t.Fatalf("a copy in memory is sealed: %v", err)
	}
	locked, err := Digest(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := check(path, locked)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if out, err := (&exec.Cmd{Path: p.executable(), Args: []string{path, "hello"}}).CombinedOutput(); err != nil || string(out) != "hello\n" {
		t.Errorf("what runs says %q (%v)", out, err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if err := errors.Join(os.WriteFile(other, []byte("#!/bin/false\n"), 0o700), os.Rename(other, path)); err != nil {
		t.Fatal(err)
	}
	var changed *ChecksumError
	if _, err := check(path, locked); !errors.As(err, &changed) {
		t.Errorf("the changed program is not refused: %v", err)
	}
}
