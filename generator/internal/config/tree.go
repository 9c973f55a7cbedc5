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

// Files are those of the tree that the source takes in, as a tree is made of all
// files below its root.
func (t *Tree) Files(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(path string) bool { return !t.Match(path) })
}

// trees are the members of a source that can be a tree, by their keys in the file.
func (s *Source) trees() map[string]**Tree {
	return map[string]**Tree{"arm": &s.ARM, "bicep": &s.Bicep, "crd": &s.CRD, "openapi": &s.OpenAPI}
}

// Kind is the key of the source in the file.
func (s Source) Kind() string {
	for kind, tree := range s.trees() {
		if *tree != nil {
			return kind
		}
	}
	return ""
}

// Tree is the tree of files that the source is, whatever its kind; nil if it is
// something else.
func (s Source) Tree() *Tree {
	if tree := s.trees()[s.Kind()]; tree != nil {
		return *tree
	}
	return nil
}

// In is the source with the tree at another root.
func (s Source) In(root string) Source {
	moved := *s.Tree()
	moved.Root = root
	*s.trees()[s.Kind()] = &moved
	return s
}

// At is the path in the file of a key of the source's tree.
func (s Source) At(key string) string { return s.Pos.Path + "." + s.Kind() + "." + key }
