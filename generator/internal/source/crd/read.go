package crd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// Options configure what to read.
type Options struct {
	// Root is a folder. Files are slash paths below it, sorted.
	Root  string
	Files []string
	// Limits bound a file. The zero value means [syntax.Default].
	Limits syntax.Limits
	// Workers is the number of files that are read at once; 0 means one per processor.
	Workers int
	// Progress, if not nil, is called after each file, and never concurrently.
	Progress func(done, total int)
}

// Read reads all CRDs in the files. The result does not depend on the number of workers. It fails
// only if nothing can be read.
func Read(ctx context.Context, o Options) (*source.Result, error) {
	if len(o.Files) == 0 {
		return nil, fmt.Errorf("read CRDs below %s: no files", o.Root)
	}
	if o.Limits == (syntax.Limits{}) {
		o.Limits = syntax.Default
	}
	files, err := source.Each(ctx, source.Options{Workers: o.Workers, Progress: o.Progress}, o.Files, o.read)
	if err != nil {
		return nil, fmt.Errorf("read CRDs: %w", err)
	}
	return gather(files), nil
}

// read reads one file.
func (o Options) read(path string) *file {
	f := &file{path: path, name: filepath.Join(o.Root, filepath.FromSlash(path))}
	body, err := source.ReadFile(os.DirFS(o.Root), o.Root, path, o.Limits.Size)
	if err != nil {
		f.reject(source.MessageOf(err))
		return f
	}
	f.parse(body, o.Limits)
	return f
}
