package config

import (
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stratakube/strata/generator/internal/diag"
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

// single returns the members of a source that can be one tree, by their keys in the file.
func (s *Source) single() map[string]**Tree {
	return map[string]**Tree{"arm": &s.ARM, "bicep": &s.Bicep, "crd": &s.CRD, "openapi": &s.OpenAPI}
}

// Kind returns the key of the source in the file.
func (s Source) Kind() string {
	for kind, tree := range s.single() {
		if *tree != nil {
			return kind
		}
	}
	switch {
	case s.Releases != nil:
		return "crd"
	case s.Go != nil:
		return "go"
	}
	return ""
}

// Trees returns the source's trees of files: one, or one for each release; none if its files are in
// no tree.
func (s Source) Trees() []*Tree {
	for _, tree := range s.single() {
		if *tree != nil {
			return []*Tree{*tree}
		}
	}
	return s.Releases
}

// Moved returns the source with other roots of its trees, which to returns. It stops at the first
// error.
func (s Source) Moved(to func(*Tree) (root string, err error)) (Source, error) {
	moved := func(t *Tree) (*Tree, error) {
		root, err := to(t)
		out := *t
		out.Root = root
		return &out, err
	}
	var err error
	for _, tree := range s.single() {
		if *tree != nil {
			*tree, err = moved(*tree)
		}
	}
	s.Releases = slices.Clone(s.Releases)
	for i, t := range s.Releases {
		if err == nil {
			s.Releases[i], err = moved(t)
		}
	}
	return s, err
}

// At returns the path in the file of a key of the source's trees.
func (s Source) At(key string) string { return s.Pos.Path + "." + s.Kind() + "." + key }

// RootAt returns the path in the file of the root of one of the source's trees.
func (s Source) RootAt(t *Tree) string {
	if i := slices.Index(s.Releases, t); i >= 0 {
		return diag.Index(s.At("releases"), i)
	}
	return s.At("root")
}
