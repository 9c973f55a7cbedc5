package output

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// stage makes folders that are not there yet under a hidden name, where files are
// written without more ado, and shows them when all is in them: much cheaper than
// file by file. It may be used from several goroutines.
type stage struct {
	root *os.Root

	mu    sync.Mutex
	there map[string]bool   // folders that people can see
	tops  map[string]string // a topmost new folder, and its hidden name
}

func newStage(root *os.Root) *stage {
	return &stage{root: root, there: map[string]bool{".": true}, tops: map[string]string{}}
}

// open opens a folder, which it makes if need be, and tells whether it is hidden.
func (s *stage) open(folder string) (opened *os.Root, isHidden bool, err error) {
	name, isHidden, err := s.place(folder)
	if err != nil {
		return nil, false, err
	}
	name = filepath.FromSlash(name)
	if err := s.root.MkdirAll(name, 0o755); err != nil {
		return nil, false, err
	}
	opened, err = s.root.OpenRoot(name)
	return opened, isHidden, err
}

// place tells where a folder lies now, and whether that is hidden.
func (s *stage) place(folder string) (name string, isHidden bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for end := 0; end < len(folder); end++ {
		if end = nextSlash(folder, end); s.there[folder[:end]] {
			continue
		}
		if err := s.find(folder[:end]); err != nil {
			return "", false, err
		}
		if top, isNew := s.tops[folder[:end]]; isNew {
			return top + folder[end:], true, nil
		}
	}
	return folder, false, nil
}

// nextSlash is where the first slash from an offset on stands, or the end.
func nextSlash(name string, from int) int {
	if i := strings.IndexByte(name[from:], '/'); i >= 0 {
		return from + i
	}
	return len(name)
}

// find finds out whether a folder is there, all above it being there.
func (s *stage) find(folder string) error {
	if _, isNew := s.tops[folder]; isNew {
		return nil
	}
	_, err := s.root.Lstat(filepath.FromSlash(folder))
	switch {
	case err == nil:
		s.there[folder] = true
	case errors.Is(err, fs.ErrNotExist):
		top := path.Join(path.Dir(folder), hidden(path.Base(folder)))
		if err := s.root.RemoveAll(filepath.FromSlash(top)); err != nil { // left behind by a run that was killed
			return err
		}
		s.tops[folder] = top
	default:
		return err
	}
	return nil
}

// show renames what is hidden.
func (s *stage) show() error {
	for _, folder := range slices.Sorted(maps.Keys(s.tops)) {
		if err := s.root.Rename(filepath.FromSlash(s.tops[folder]), filepath.FromSlash(folder)); err != nil {
			return errors.Join(fmt.Errorf("write %s: %w", folder, err), s.drop())
		}
		delete(s.tops, folder)
	}
	return nil
}

// drop removes what is hidden.
func (s *stage) drop() error {
	var failed []error
	for _, top := range s.tops {
		failed = append(failed, s.root.RemoveAll(filepath.FromSlash(top)))
	}
	return errors.Join(failed...)
}

// hidden is the name that a file or folder of this process has until it is whole.
func hidden(name string) string { return fmt.Sprintf(".%s.strata-%d", name, os.Getpid()) }
