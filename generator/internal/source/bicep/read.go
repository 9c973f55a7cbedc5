package bicep

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stratakube/strata/generator/internal/parallel"
	"github.com/stratakube/strata/generator/internal/source"
)

// Options say what to read.
type Options struct {
	// Root is a folder.
	Root string
	// Include and Exclude are doublestar globs of slash paths below Root. No
	// Include means every file that is called types.json.
	Include, Exclude []string
	// Files are all files below Root as [source.List] gives them; nil: they are listed.
	Files []string
	// Workers is how many files are read at once; 0 means one per processor.
	Workers int
	// Progress, if not nil, is told after each file; never from two goroutines
	// at once.
	Progress func(done, total int)
}

// Read reads all files that match. The result does not depend on the number of
// workers. It fails only where nothing can be read at all: a bad pattern, an
// unreadable root, no file that matches, or a context that ends.
func Read(ctx context.Context, o Options) (*source.Result, error) {
	paths, err := o.paths()
	if err != nil {
		return nil, err
	}
	units := make([]*unit, len(paths))
	tick := o.ticker(len(paths))
	parallel.For(len(paths), o.workers(), func(i int) {
		if ctx.Err() == nil {
			units[i] = read(os.DirFS(o.Root), o.Root, paths[i])
			tick()
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read types: %w", err)
	}
	return gather(units), nil
}

// paths are those of the files to read.
func (o Options) paths() ([]string, error) {
	for _, glob := range slices.Concat(o.Include, o.Exclude) {
		if !doublestar.ValidatePattern(glob) {
			return nil, fmt.Errorf("read types: %q is not a glob", glob)
		}
	}
	all := o.Files
	if all == nil {
		var err error
		if all, err = source.List(o.Root, os.DirFS(o.Root)); err != nil {
			return nil, err
		}
	}
	paths := slices.DeleteFunc(slices.Clone(all), func(path string) bool { return !o.match(path) })
	if len(paths) == 0 {
		return nil, fmt.Errorf("read types: no file below %s matches %q", o.Root, o.include())
	}
	return paths, nil
}

func (o Options) include() []string {
	if len(o.Include) == 0 {
		return []string{"**/types.json"}
	}
	return o.Include
}

func (o Options) match(path string) bool {
	matches := func(glob string) bool { return doublestar.MatchUnvalidated(glob, path) }
	return slices.ContainsFunc(o.include(), matches) && !slices.ContainsFunc(o.Exclude, matches)
}

func (o Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

func (o Options) ticker(total int) func() {
	if o.Progress == nil {
		return func() {}
	}
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		o.Progress(done, total)
	}
}
