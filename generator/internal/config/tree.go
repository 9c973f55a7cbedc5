package config

import (
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

// Match reports whether a slash path below Root is included and not excluded.
func (t *Tree) Match(path string) bool {
	matches := func(glob string) bool { return doublestar.MatchUnvalidated(glob, path) }
	return slices.ContainsFunc(t.Include, matches) && !slices.ContainsFunc(t.Exclude, matches)
}

// Idle returns the indexes of the globs in Include that match none of the files.
func (t *Tree) Idle(files []string) []int {
	var idle []int
	for i, glob := range t.Include {
		if !slices.ContainsFunc(files, func(path string) bool { return doublestar.MatchUnvalidated(glob, path) }) {
			idle = append(idle, i)
		}
	}
	return idle
}

// Files returns the files of the tree that the source includes, given all files below its root.
func (t *Tree) Files(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(path string) bool { return !t.Match(path) })
}

// trees returns the members of a source that can be a tree, by their keys in the file.
func (s *Source) trees() map[string]**Tree {
	return map[string]**Tree{"arm": &s.ARM, "bicep": &s.Bicep, "crd": &s.CRD, "openapi": &s.OpenAPI}
}

// Kind returns the key of the source in the file.
func (s Source) Kind() string {
	for kind, tree := range s.trees() {
		if *tree != nil {
			return kind
		}
	}
	return ""
}

// Tree returns the source's tree of files, whatever its kind; nil if it is not a tree.
func (s Source) Tree() *Tree {
	if tree := s.trees()[s.Kind()]; tree != nil {
		return *tree
	}
	return nil
}

// In returns the source with another root of its tree.
func (s Source) In(root string) Source {
	moved := *s.Tree()
	moved.Root = root
	*s.trees()[s.Kind()] = &moved
	return s
}

// At returns the path in the file of a key of the source's tree.
func (s Source) At(key string) string { return s.Pos.Path + "." + s.Kind() + "." + key }
