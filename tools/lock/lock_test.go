//go:build unix

package lock_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/lock"
)

// TestALockGoesWithItsHolder takes a lock in another process, which is then killed.
func TestALockGoesWithItsHolder(t *testing.T) {
	if file := os.Getenv("LOCK"); file != "" {
		if unlock, err := lock.Try(file); err != nil || unlock == nil {
			t.Fatalf("the lock is not free, or %v", err)
		}
		os.Stdout.WriteString("locked\n")
		time.Sleep(time.Minute)
		return
	}
	file := filepath.Join(t.TempDir(), "lock")
	holder := hold(t, file)

	if unlock, err := lock.Try(file); err != nil || unlock != nil {
		t.Errorf("tried: free %t, error %v; want a lock that somebody has", unlock != nil, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	given := errors.New("given up")
	if _, err := lock.Wait(ctx, file, func() { cancel(given) }); !errors.Is(err, given) {
		t.Errorf("waiting ended with %v, want the reason to give up", err)
	}

	_ = holder.Process.Kill()
	_ = holder.Wait()
	unlock, err := lock.Wait(t.Context(), file, func() {})
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if unlock, err := lock.Try(file); err != nil || unlock == nil {
		t.Errorf("tried: free %t, error %v; want a free lock", unlock != nil, err)
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

func TestAFolderThatIsNotThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gone", "lock")
	if _, err := lock.Try(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("tried: %v", err)
	}
	if _, err := lock.Wait(t.Context(), file, func() {}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("waited: %v", err)
	}
}
