package config

import (
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

// Match tells whether a slash path below Root is included and not excluded.
func (a *ARM) Match(path string) bool {
	matches := func(glob string) bool { return doublestar.MatchUnvalidated(glob, path) }
	return slices.ContainsFunc(a.Include, matches) && !slices.ContainsFunc(a.Exclude, matches)
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
