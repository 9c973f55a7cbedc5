//go:build unix

package launch

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSweep checks that folders of killed hosts are removed, and those of running ones are not. A
// lock belongs to an open file, so that the hosts of one process count as several.
func TestSweep(t *testing.T) {
	base := t.TempDir()
	living, err := claim(base)
	if err != nil {
		t.Fatal(err)
	}
	defer living.remove()
	killed, err := claim(base)
	if err != nil {
		t.Fatal(err)
	}
	killed.lock.Close() // as the system does
	foreign := filepath.Join(base, "strata-foreign")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	sweep(base)
	for dir, want := range map[string]bool{living.dir: true, killed.dir: false, foreign: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", dir, err == nil, want)
		}
	}
}

func TestFolderIsOneHost(t *testing.T) {
	s := &Sockets{Base: "/tmp"}
	first, err := s.folder()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.folder(); err != nil || again != first {
		t.Errorf("got %s, %v, want %s again", again, err, first)
	}
	s.Remove()
	s.Remove()
	if _, err := os.Stat(first); err == nil {
		t.Error("the folder is there after Remove")
	}
}
