package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckedBytesRun overwrites a program between the check and the start.
func TestCheckedBytesRun(t *testing.T) {
	path := copyOfEcho(t)
	locked, err := Digest(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := check(path, locked)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if err := os.WriteFile(path, []byte("#!/bin/false\n"), 0o700); err != nil { // the same file, with other bytes
		t.Fatal(err)
	}
	if _, err := p.file.WriteAt([]byte("x"), 0); err == nil {
		t.Error("the copy can be changed")
	}
	cmd := &exec.Cmd{Path: p.executable(), Args: []string{path, "hello"}}
	if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "hello" {
		t.Errorf("what runs says %q (%v)", out, err)
	}
	if _, err := check(path, locked); err == nil {
		t.Error("the changed program is not refused")
	}
}

// copyOfEcho returns the path of a program that prints its arguments, and that the test may change.
func copyOfEcho(t *testing.T) string {
	t.Helper()
	echo, err := exec.LookPath("echo")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(echo)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, data, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
