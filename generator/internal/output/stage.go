package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
)

// stage is a hidden folder of the output folder. fill writes files to it, at their final relative
// paths, and show moves them to these. It moves a new folder as a whole. Nothing is visible before
// show, and close removes the stage.
type stage struct {
	root    *os.Root // the output folder
	created []string // the folders that did not exist: the output folder, and those above it
	name    string

	made  sync.Map        // folders on the stage
	there map[string]bool // folders that are visible
	moved map[string]bool // new folders that show has moved
}

// lazyStage is a stage that is created when the first file is written to it. It is safe for
// concurrent use.
type lazyStage struct {
	dir    string
	mu     sync.Mutex
	opened *stage
	err    error
}

func (l *lazyStage) open() (*stage, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil && l.err == nil {
		l.opened, l.err = openStage(l.dir)
	}
	return l.opened, l.err
}

// close removes the stage, if there is one. A stage that is opened later is another one.
func (l *lazyStage) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.opened
	if l.opened, l.err = nil, nil; s == nil {
		return nil
	}
	return s.close()
}

// openStage creates an empty stage in a folder, which it creates if necessary, and removes the
// remains of killed processes. The caller must close it.
func openStage(dir string) (*stage, error) {
	created := missing(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make output folder: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open output folder: %w", err)
	}
	s := &stage{root: root, created: created, name: stageName + token, there: map[string]bool{}, moved: map[string]bool{}}
	if err := errors.Join(s.clear(), root.Mkdir(s.name, 0o755)); err != nil {
		return nil, errors.Join(fmt.Errorf("write to output folder: %w", err), s.close())
	}
	return s, nil
}

// clear removes the remains of killed processes.
func (s *stage) clear() error { return errors.Join(removeStages(s.root), s.root.RemoveAll(s.name)) }

// removeStages removes the stages that killed processes have left behind.
func removeStages(root *os.Root) error {
	names, err := leftovers(root, isStage)
	for _, name := range names {
		err = errors.Join(err, root.RemoveAll(name))
	}
	return err
}

// fillAll writes the files that are not on the stage yet.
func (s *stage) fillAll(ctx context.Context, files []Change, wrote func()) error {
	return each(ctx, len(files), func(_ *worker, i int) error {
		if !files[i].isStaged {
			if err := s.fill(files[i]); err != nil {
				return err
			}
		}
		wrote()
		return nil
	})
}

// fill writes a file. It is safe for concurrent use.
func (s *stage) fill(file Change) error {
	err := s.mkdir(path.Dir(file.Path))
	if err == nil {
		err = fill(s.root, filepath.Join(s.name, filepath.FromSlash(file.Path)), file.body)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path.Dir(file.Path), err)
	}
	return nil
}

// mkdir makes a folder of the stage.
func (s *stage) mkdir(name string) error {
	if _, made := s.made.Load(name); made {
		return nil
	}
	err := s.root.MkdirAll(filepath.Join(s.name, filepath.FromSlash(name)), 0o755)
	if err == nil {
		s.made.Store(name, true)
	}
	return err
}

// check reports an obstacle at the path of a file, before anything is shown.
func (s *stage) check(name string) error {
	info, err := s.root.Lstat(filepath.FromSlash(name))
	switch {
	case err == nil && info.IsDir():
		err = errIsFolder
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return fmt.Errorf("write %s: %w", name, err)
}

// checkAll checks the paths of files, and that the stage still exists: another run removes that of
// a process that was suspended for long.
func (s *stage) checkAll(files []Change) error {
	if _, err := s.root.Lstat(s.name); err != nil {
		return fmt.Errorf("another run has removed the files that were to be written: %w", err)
	}
	for _, file := range files {
		if err := s.check(file.Path); err != nil {
			return err
		}
	}
	return nil
}

// keepMode gives a file on the stage the permissions of the file that it replaces.
func (s *stage) keepMode(name string) error {
	info, err := s.root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && info.Mode().IsRegular():
		err = s.root.Chmod(filepath.Join(s.name, filepath.FromSlash(name)), info.Mode().Perm())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// show moves a file to its path.
func (s *stage) show(name string) error {
	for end := range name {
		if name[end] != '/' {
			continue
		}
		isNew, err := s.showFolder(name[:end])
		if err != nil {
			return fmt.Errorf("write %s: %w", name[:end], err)
		}
		if isNew {
			return nil
		}
	}
	if err := s.move(name); err != nil {
		return fmt.Errorf("write %s: %w", path.Dir(name), err)
	}
	return nil
}

// showFolder moves a folder to its path, unless there is one. Its parent must exist. It reports
// whether the folder is new.
func (s *stage) showFolder(name string) (isNew bool, err error) {
	if s.there[name] || s.moved[name] {
		return s.moved[name], nil
	}
	_, err = s.root.Lstat(filepath.FromSlash(name))
	switch {
	case err == nil:
		s.there[name] = true
	case errors.Is(err, fs.ErrNotExist):
		s.moved[name] = true
		return true, s.move(name)
	}
	return false, err
}

func (s *stage) move(name string) error {
	name = filepath.FromSlash(name)
	return s.root.Rename(filepath.Join(s.name, name), name)
}

// close removes the stage, and the folders that it has created if they are empty. A process that
// awaits renames awaits it.
func (s *stage) close() error {
	renames.RLock()
	defer renames.RUnlock()
	err := errors.Join(s.root.RemoveAll(s.name), s.root.Close())
	for _, folder := range s.created {
		_ = os.Remove(folder) // fails if there are files
	}
	return err
}

// missing returns a folder and those above it, as far as they do not exist, the innermost first.
func missing(dir string) []string {
	var out []string
	for {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return out
		}
		out = append(out, dir)
		dir = filepath.Dir(dir)
	}
}
