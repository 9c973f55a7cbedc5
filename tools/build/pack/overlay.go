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
func overlay(from, dir string, paths []string) error {
	var own []string
	for _, p := range paths {
		escaped, err := module.EscapePath(p)
		if err != nil {
			return err
		}
		own = append(own, escaped, path.Join("cache/download", escaped))
	}
	return share(from, dir, "", append(own, "cache/lock"))
}

// share links the entries of a folder of a cache, except the own ones. It creates the folders that
// contain own entries.
func share(from, to, name string, own []string) error {
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
		switch {
		case slices.Contains(own, bare):
		case isAbove:
			if err := share(from, to, entry, own); err != nil {
				return err
			}
		default:
			if err := os.Symlink(filepath.Join(from, filepath.FromSlash(entry)), filepath.Join(to, filepath.FromSlash(entry))); err != nil {
				return fmt.Errorf("share module cache: %w", err)
			}
		}
	}
	return nil
}
