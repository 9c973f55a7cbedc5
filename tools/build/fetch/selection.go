package fetch

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// maxPathBytes bounds one path of an origin.
const maxPathBytes = 1024

// checkPath refuses a path that could leave the tree, or that another system would
// read differently. A path is relative, clean and separated by slashes.
func checkPath(path string) error {
	switch {
	case len(path) > maxPathBytes:
		return refuse("path %.60q... is longer than %d bytes", path, maxPathBytes)
	case !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl):
		return refuse("path %q is not printable text", path)
	case strings.Contains(path, `\`):
		return refuse("path %q holds a backslash", path)
	case path == "." || !fs.ValidPath(path) || !filepath.IsLocal(filepath.FromSlash(path)):
		return refuse("path %q is not a plain path below the root", path)
	}
	return nil
}

func checkPattern(pattern string) error {
	if pattern == "" || !doublestar.ValidatePattern(pattern) {
		return fmt.Errorf("%q is not a glob", pattern)
	}
	for element := range strings.SplitSeq(pattern, "/") {
		if element == "" || element == "." || element == ".." {
			return fmt.Errorf("glob %q is not a plain path below the repository's root", pattern)
		}
	}
	return nil
}

// selection selects the paths of a source, and records which of its globs matched none.
type selection struct {
	patterns []string
	used     []bool
}

func newSelection(patterns []string) *selection {
	return &selection{patterns, make([]bool, len(patterns))}
}

// match reports whether any glob selects path. All are asked, so that idle knows each.
func (s *selection) match(path string) bool {
	found := false
	for i, pattern := range s.patterns {
		if doublestar.MatchUnvalidated(pattern, path) {
			s.used[i], found = true, true
		}
	}
	return found
}

// idle refuses when a glob has selected nothing.
func (s *selection) idle() error {
	var names []string
	for i, used := range s.used {
		if !used {
			names = append(names, fmt.Sprintf("%q", s.patterns[i]))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return refuse("no file matches %s", strings.Join(names, ", "))
}
