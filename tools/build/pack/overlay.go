package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// overlay makes a module cache in dir that shares everything with the cache from, except the
// modules of these paths. A released version that is only rehearsed must not get into the user's
// cache, where its name would stand for its content for ever.
//
// If verified is nil, folders of modules are links, and go mod verify fails. Otherwise there are
// folders of the modules in verified only; the go command extracts others when it needs them.
func overlay(from, dir string, paths []string, verified map[module.Version]bool) error {
	var own []string
	var folders map[string]bool
	if verified != nil {
		folders = map[string]bool{}
	}
	for m := range verified {
		escaped, err := module.EscapePath(m.Path)
		if err != nil {
			return err
		}
		version, err := module.EscapeVersion(m.Version)
		if err != nil {
			return err
		}
		folders[escaped+"@"+version] = true
	}
	for _, p := range paths {
		escaped, err := module.EscapePath(p)
		if err != nil {
			return err
		}
		own = append(own, escaped, path.Join("cache/download", escaped))
	}
	return share(from, dir, "", append(own, "cache/lock"), folders)
}

// share links the entries of a folder of a cache, except the own ones. It creates the folders that
// contain own entries or folders of verified modules, and copies of the latter.
func share(from, to, name string, own []string, verified map[string]bool) error {
	if err := os.MkdirAll(filepath.Join(to, filepath.FromSlash(name)), 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(from, filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("share module cache: %w", err)
	}
	for _, e := range entries {
		entry := path.Join(name, e.Name())
		bare, _, _ := strings.Cut(entry, "@")
		isAbove := slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, entry+"/") })
		for folder := range verified {
			isAbove = isAbove || strings.HasPrefix(folder, entry+"/")
		}
		switch {
		case slices.Contains(own, bare):
		case isAbove:
			if err := share(from, to, entry, own, verified); err != nil {
				return err
			}
		case verified != nil && bare != entry && e.IsDir():
			if !verified[entry] {
				continue
			}
			if err := link(filepath.Join(from, filepath.FromSlash(entry)), filepath.Join(to, filepath.FromSlash(entry))); err != nil {
				return fmt.Errorf("share module cache: %w", err)
			}
		default:
			if err := os.Symlink(filepath.Join(from, filepath.FromSlash(entry)), filepath.Join(to, filepath.FromSlash(entry))); err != nil {
				return fmt.Errorf("share module cache: %w", err)
			}
		}
	}
	return nil
}

// link makes a folder of the same files. They share their content where the system can do so.
func link(from, to string) error {
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		if os.Link(name, target) == nil {
			return nil
		}
		text, err := os.ReadFile(name) // the temporary folder is on another disk
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o666)
	})
}
