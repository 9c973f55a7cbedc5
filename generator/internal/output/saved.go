package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Saved has what files contained before a command changed them, so that Restore can undo the
// changes. The zero value has no files.
type Saved struct {
	files   []savedFile
	folders []string // those that did not exist, each before the folders below it
}

// savedFile is a file, a symbolic link, or a path at which there was neither.
type savedFile struct {
	path string // on disk
	mode fs.FileMode
	body []byte // of a file
	link string // the target of a link
	none bool
}

// Save records files below a folder, and which folders of theirs do not exist. A file that is
// recorded already stays as it was then. Save does not record other things, such as folders, which
// [Put] does not replace.
func (s *Saved) Save(dir string, names []string) error {
	for _, name := range names {
		file := onDisk(dir, name)
		if slices.ContainsFunc(s.files, func(f savedFile) bool { return f.path == file }) {
			continue
		}
		saved, err := save(file)
		if err != nil {
			return fmt.Errorf("read the file that is to be replaced: %w", err)
		}
		s.files = append(s.files, saved)
		s.missing(dir, path.Dir(name))
	}
	return nil
}

func save(file string) (savedFile, error) {
	out := savedFile{path: file}
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		out.none = true
		return out, nil
	case err != nil:
		return out, err
	}
	switch out.mode = info.Mode(); out.mode.Type() {
	case 0:
		out.body, err = os.ReadFile(file)
	case fs.ModeSymlink:
		out.link, err = os.Readlink(file)
	}
	return out, err
}

// missing records a folder below dir, and those above it, if they do not exist.
func (s *Saved) missing(dir, folder string) {
	name := onDisk(dir, folder)
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) || slices.Contains(s.folders, name) {
		return
	}
	if folder != "." {
		s.missing(dir, path.Dir(folder))
	}
	s.folders = append(s.folders, name)
}

// Restore makes the files what they were. It removes the folders that did not exist, unless they
// contain something else by now. A process that awaits renames (see [AwaitRenames]) awaits it.
func (s *Saved) Restore() error {
	renames.RLock()
	defer renames.RUnlock()
	var err error
	for _, f := range s.files {
		err = errors.Join(err, f.restore())
	}
	for _, folder := range slices.Backward(s.folders) {
		_ = os.Remove(folder) // fails if there are other files
	}
	return err
}

func (f savedFile) restore() error {
	now, err := save(f.path)
	isSame := now.none == f.none && now.mode == f.mode && now.link == f.link && bytes.Equal(now.body, f.body)
	switch {
	case err == nil && isSame:
		return nil
	case f.none:
		return os.Remove(f.path)
	}
	name := filepath.Join(filepath.Dir(f.path), hidden(filepath.Base(f.path)))
	if f.mode.Type() == fs.ModeSymlink {
		err = os.Symlink(f.link, name)
	} else if err = os.WriteFile(name, f.body, 0o600); err == nil {
		err = os.Chmod(name, f.mode.Perm())
	}
	if err == nil {
		err = os.Rename(name, f.path)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(name))
	}
	return nil
}
