package arm

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stratakube/strata/generator/internal/source"
)

// Options say what to read.
type Options struct {
	// Root is a folder. References to other files find them below it.
	Root string
	// Include and Exclude are doublestar globs of slash paths below Root. No
	// Include means every file whose name ends in .json.
	Include, Exclude []string
	// Files are all files below Root as [source.List] gives them; nil: they are listed.
	Files []string
	// Workers is how many files are read at once; 0 means one per processor.
	Workers int
	// Progress, if not nil, is told after each file; never from two goroutines
	// at once.
	Progress func(done, total int)
}

// Read reads all schemas that match. The result does not depend on the number
// of workers. It fails only where nothing can be read at all: a bad pattern, an
// unreadable root, no file that matches, or a context that ends.
func Read(ctx context.Context, o Options) (*source.Result, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	lib, err := o.open()
	if err != nil {
		return nil, err
	}
	paths := slices.DeleteFunc(slices.Clone(lib.paths), func(path string) bool { return !o.match(path) })
	if len(paths) == 0 {
		return nil, fmt.Errorf("read schemas: no file below %s matches %q", o.Root, o.include())
	}
	units, err := o.compile(ctx, lib, paths)
	if err != nil {
		return nil, fmt.Errorf("read schemas: %w", err)
	}
	return gather(units), nil
}

func (o Options) open() (*library, error) {
	files, paths := os.DirFS(o.Root), o.Files
	if paths == nil {
		var err error
		if paths, err = source.List(o.Root, files); err != nil {
			return nil, err
		}
	}
	return open(o.Root, files, paths), nil
}

func (o Options) validate() error {
	for _, glob := range slices.Concat(o.Include, o.Exclude) {
		if !doublestar.ValidatePattern(glob) {
			return fmt.Errorf("read schemas: %q is not a glob", glob)
		}
	}
	return nil
}

func (o Options) include() []string {
	if len(o.Include) == 0 {
		return []string{"**/*.json"}
	}
	return o.Include
}

func (o Options) match(path string) bool {
	matches := func(glob string) bool { return doublestar.MatchUnvalidated(glob, path) }
	return slices.ContainsFunc(o.include(), matches) && !slices.ContainsFunc(o.Exclude, matches)
}

// compile makes a unit of each file, in the order of the paths.
func (o Options) compile(ctx context.Context, lib *library, paths []string) ([]*unit, error) {
	units := make([]*unit, len(paths))
	var next atomic.Int64
	var group sync.WaitGroup
	tick := o.ticker(len(paths))
	for range min(o.workers(), len(paths)) {
		group.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(paths) && ctx.Err() == nil; i = next.Add(1) - 1 {
				units[i] = compileFile(lib, paths[i])
				tick()
			}
		})
	}
	group.Wait()
	return units, ctx.Err()
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
