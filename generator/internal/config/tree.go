package config

import (
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

// Tree is the kind of a source that is a tree of files, and the tree.
func (s Source) Tree() (kind string, t *Tree) {
	switch {
	case s.ARM != nil:
		return "arm", s.ARM
	case s.CRD != nil:
		return "crd", s.CRD
	}
	return "", nil
}

// Below is the source with its tree at another root.
func (s Source) Below(root string) Source {
	_, tree := s.Tree()
	moved := *tree
	moved.Root = root
	switch tree {
	case s.ARM:
		s.ARM = &moved
	case s.CRD:
		s.CRD = &moved
	}
	return s
}

// Match tells whether a slash path below Root is included and not excluded.
func (t *Tree) Match(path string) bool {
	matches := func(glob string) bool { return doublestar.MatchUnvalidated(glob, path) }
	return slices.ContainsFunc(t.Include, matches) && !slices.ContainsFunc(t.Exclude, matches)
}

// Idle lists the indexes of the elements of Include that match none of the files.
func (t *Tree) Idle(files []string) []int {
	var idle []int
	for i, glob := range t.Include {
		if !slices.ContainsFunc(files, func(path string) bool { return doublestar.MatchUnvalidated(glob, path) }) {
			idle = append(idle, i)
		}
	}
	return idle
}
