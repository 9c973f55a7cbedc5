package config

import (
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

// Match tells whether a slash path below Root is included and not excluded.
func (a *ARM) Match(path string) bool {
	matches := func(glob string) bool { return doublestar.MatchUnvalidated(glob, path) }
	return slices.ContainsFunc(a.Include, matches) && !slices.ContainsFunc(a.Exclude, matches)
}

// Files lists the matching files below Root: slash paths, sorted.
func (a *ARM) Files() ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS(a.Root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() && a.Match(path) {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list schemas below %s: %w", a.Root, err)
	}
	slices.Sort(files)
	return files, nil
}
