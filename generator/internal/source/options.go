package source

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stratakube/strata/generator/internal/parallel"
)

// Options configure which files of a tree a front-end reads, and how.
type Options struct {
	// Root is a folder. References find other files below it.
	Root string
	// Include and Exclude are doublestar globs of slash paths below Root. Without Include, the
	// front-end uses its default.
	Include, Exclude []string
	// Files are all files below Root, as [List] returns them. If it is nil, they are listed.
	Files []string
	// Skip, if not nil, reports that a file that matches need not be read.
	Skip func(path string) bool
	// Workers is the number of files that are read at once; 0 means one per processor.
	Workers int
	// Progress, if not nil, is called after each file, and never concurrently.
	Progress func(done, total int)
}

// Choose returns all files of the tree, and those to read. what names them in messages. It fails
// for a bad pattern, an unreadable root, and if no file matches.
func (o Options) Choose(what, byDefault string) (all, chosen []string, err error) {
	for _, glob := range slices.Concat(o.Include, o.Exclude) {
		if !doublestar.ValidatePattern(glob) {
			return nil, nil, fmt.Errorf("read %s: %q is not a glob", what, glob)
		}
	}
	if len(o.Include) == 0 {
		o.Include = []string{byDefault}
	}
	if all = o.Files; all == nil {
		if all, err = List(o.Root, os.DirFS(o.Root)); err != nil {
			return nil, nil, err
		}
	}
	chosen = slices.DeleteFunc(slices.Clone(all), func(path string) bool { return !o.match(path) })
	if len(chosen) == 0 {
		return nil, nil, fmt.Errorf("read %s: no file below %s matches %q", what, o.Root, o.Include)
	}
	return all, chosen, nil
}

func (o Options) match(path string) bool {
	matches := func(glob string) bool { return doublestar.MatchUnvalidated(glob, path) }
	return slices.ContainsFunc(o.Include, matches) && !slices.ContainsFunc(o.Exclude, matches)
}

// ReadAll reads the chosen files of a tree, in the order of their paths. open returns the function
// that reads one, for the paths of all files. what and byDefault are those of [Options.Choose].
func ReadAll[T any](ctx context.Context, o Options, what, byDefault string, open func(all []string) func(path string) T) ([]T, error) {
	all, chosen, err := o.Choose(what, byDefault)
	if err != nil {
		return nil, err
	}
	if o.Skip != nil {
		chosen = slices.DeleteFunc(chosen, o.Skip)
	}
	units, err := Each(ctx, o, chosen, open(all))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return units, nil
}

// Each reads files, and returns the results in the order of the files. The result does not depend
// on the number of workers. It fails if the context ends.
func Each[F, T any](ctx context.Context, o Options, files []F, read func(F) T) ([]T, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	out := make([]T, len(files))
	var mu sync.Mutex
	done := 0
	parallel.For(ctx, len(files), o.Workers, func(i int) {
		out[i] = read(files[i])
		if o.Progress == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		o.Progress(done, len(files))
	})
	return out, ctx.Err()
}
