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

// Tree lists all files below Root: slash paths, sorted.
func (a *ARM) Tree() ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS(a.Root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list schemas below %s: %w", a.Root, err)
	}
	slices.Sort(files)
	return files, nil
}

// Files lists the matching files below Root: slash paths, sorted.
func (a *ARM) Files() ([]string, error) {
	files, err := a.Tree()
	return slices.DeleteFunc(files, func(path string) bool { return !a.Match(path) }), err
}

// Idle lists the indexes of the elements of Include that match none of the files.
func (a *ARM) Idle(files []string) []int {
	var idle []int
	for i, glob := range a.Include {
		if !slices.ContainsFunc(files, func(path string) bool { return doublestar.MatchUnvalidated(glob, path) }) {
			idle = append(idle, i)
		}
	}
	return idle
}
