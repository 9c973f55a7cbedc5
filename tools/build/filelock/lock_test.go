//go:build unix

package filelock_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/build/filelock"
)

// TestLockGoesWithItsHolder takes a lock in another process, which is then killed.
func TestLockGoesWithItsHolder(t *testing.T) {
	if file := os.Getenv("LOCK"); file != "" {
		if _, err := filelock.Wait(t.Context(), file, func() { t.Error("the lock is not free") }); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("locked\n")
		time.Sleep(time.Minute)
		return
	}
	file := filepath.Join(t.TempDir(), "lock")
	mustBeTaken(t, file, false)
	holder := hold(t, file)
	mustBeTaken(t, file, true)
	ctx, cancel := context.WithCancelCause(t.Context())
	given := errors.New("given up")
	if _, err := filelock.Wait(ctx, file, func() { cancel(given) }); !errors.Is(err, given) {
		t.Errorf("waiting ended with %v, want the reason to give up", err)
	}

	_ = holder.Process.Kill()
	_ = holder.Wait()
	unlock, err := filelock.Wait(t.Context(), file, func() {})
	if err != nil {
		t.Fatal(err)
	}
	mustBeTaken(t, file, true)
	unlock()
	mustBeTaken(t, file, false)
}

func mustBeTaken(t *testing.T, file string, want bool) {
	t.Helper()
	if got, err := filelock.IsTaken(file); got != want || err != nil {
		t.Errorf("taken: %t (%v), want %t", got, err, want)
	}
}

func hold(t *testing.T, file string) *exec.Cmd {
	t.Helper()
	self := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	self.Env = append(os.Environ(), "LOCK="+file)
	out, err := self.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = self.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "locked\n" {
		t.Fatalf("the holder said %q (%v)", line, err)
	}
	return self
}

func TestFolderThatIsNotThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gone", "lock")
	mustBeTaken(t, file, false)
	if _, err := filelock.Wait(t.Context(), file, func() {}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("waited: %v", err)
	}
}
