package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Sockets is the folder of a host's sockets. Only its user has access, and each start has its own
// folder below it.
type Sockets struct {
	Base string // where the folder is created; empty means the folder of temporary files

	mu   sync.Mutex
	home *home
}

// pattern is the name pattern of the folders of hosts.
const pattern = "strata-"

// longestBase leaves room for our folder, that of go-plugin and the socket, within the 103 bytes
// that every system allows for the path of a socket.
const longestBase = 103 - len("/strata-1234567890/plugin-dir1234567890/plugin1234567890")

// folder returns the folder of the host, which it creates for the first plugin.
func (s *Sockets) folder() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.home != nil {
		return s.home.dir, nil
	}
	base := s.base()
	if len(base) > longestBase {
		return "", fmt.Errorf("make folder of sockets: %s is longer than %d bytes, too long for sockets below it", base, longestBase)
	}
	sweep(base)
	home, err := claim(base)
	if err != nil {
		return "", fmt.Errorf("make folder of sockets: %w", err)
	}
	s.home = home
	return home.dir, nil
}

func (s *Sockets) base() string {
	if s.Base != "" {
		return s.Base
	}
	if base := os.TempDir(); len(base) <= longestBase {
		return base
	}
	return "/tmp"
}

// Remove removes the folder with its content.
func (s *Sockets) Remove() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.home != nil {
		s.home.remove()
		s.home = nil
	}
}

// home is a folder that is locked while its host runs.
type home struct {
	dir  string
	lock *os.File
}

const lockName = "host"

func claim(base string) (*home, error) {
	dir, err := os.MkdirTemp(base, pattern)
	if err != nil {
		return nil, err
	}
	early := filepath.Join(dir, "new")
	lock, err := os.OpenFile(early, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	tryLock(lock)
	if err := os.Rename(early, filepath.Join(dir, lockName)); err != nil { // now that no other host removes it
		lock.Close()
		return nil, err
	}
	return &home{dir, lock}, nil
}

func (h *home) remove() {
	os.RemoveAll(h.dir)
	h.lock.Close()
}

// sweep removes the folders of killed hosts.
func sweep(base string) {
	dirs, _ := filepath.Glob(filepath.Join(base, pattern+"*"))
	for _, dir := range dirs {
		lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
		if err != nil {
			continue // just being created, or another user's
		}
		if tryLock(lock) {
			os.RemoveAll(dir)
		}
		lock.Close()
	}
}
