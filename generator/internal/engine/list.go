package engine

import (
	"os"

	"github.com/stratakube/strata/generator/internal/source"
)

// listings are the files below the roots of sources: a run lists them once, and so
// all of it sees the same.
type listings map[string][]string

func (l listings) below(root string) ([]string, error) {
	if paths, known := l[root]; known {
		return paths, nil
	}
	paths, err := source.List(root, os.DirFS(root))
	if err == nil {
		l[root] = paths
	}
	return paths, err
}
