package corpus

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Tree is the content of a folder: its files by their paths below it, with slashes.
type Tree map[string]File

// File is the content of a file, as its sum, and when it was last written.
type File struct {
	Sum     [sha256.Size]byte
	Written time.Time
}

// ReadTree reads a folder.
func ReadTree(dir string) (Tree, error) {
	t := Tree{}
	err := eachFile(dir, func(path string, body []byte) { t[path] = File{Sum: sha256.Sum256(body)} })
	if err != nil {
		return nil, err
	}
	for path, file := range t {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil {
			return nil, fmt.Errorf("read tree: %w", err)
		}
		file.Written = info.ModTime()
		t[path] = file
	}
	return t, nil
}

// eachFile hands over all files below a folder in the order of their paths.
func eachFile(dir string, visit func(path string, body []byte)) error {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, path)
		if err == nil {
			visit(filepath.ToSlash(below), body)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read tree: %w", err)
	}
	return nil
}

// Differences lists, sorted, the files whose content is another in u, or that only one of the two
// has.
func (t Tree) Differences(u Tree) []string {
	return t.compare(u, func(a, b File) bool { return a.Sum == b.Sum })
}

// Touched lists, sorted, the files that were written between t and u, even with the same content.
func (t Tree) Touched(u Tree) []string {
	return t.compare(u, func(a, b File) bool { return a.Written.Equal(b.Written) })
}

func (t Tree) compare(u Tree, equal func(a, b File) bool) []string {
	var paths []string
	for path, file := range t {
		if other, ok := u[path]; !ok || !equal(file, other) {
			paths = append(paths, path)
		}
	}
	for path := range u {
		if _, ok := t[path]; !ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// Only returns the part of the tree whose paths keep accepts.
func (t Tree) Only(keep func(path string) bool) Tree {
	part := Tree{}
	for path, file := range t {
		if keep(path) {
			part[path] = file
		}
	}
	return part
}
