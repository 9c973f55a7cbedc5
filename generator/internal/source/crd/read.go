package crd

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// Options configure what to read.
type Options struct {
	// Releases are those of one project, the oldest first. Of a version that several have, the
	// newest definition counts.
	Releases []Release
	// Texts asks for the JSON of whole CRDs in the result's definitions.
	Texts bool
	// Limits bound a file. The zero value means [syntax.Default].
	Limits syntax.Limits
	// Workers is the number of files that are read at once; 0 means one per processor.
	Workers int
	// Progress, if not nil, is called after each file, and never concurrently.
	Progress func(done, total int)
}

// Release is a folder of CRDs.
type Release struct {
	// Name begins the paths of the files in the result, before a slash; empty for nothing.
	Name string
	// Root is the folder. Files are slash paths below it, sorted.
	Root  string
	Files []string
}

// input is a file to be read.
type input struct {
	release *Release
	path    string // below the root
}

// Read reads all CRDs in the files. The result does not depend on the number of workers. It fails
// only if nothing can be read.
func Read(ctx context.Context, o Options) (*source.Result, error) {
	var inputs []input
	for i := range o.Releases {
		r := &o.Releases[i]
		if len(r.Files) == 0 {
			return nil, fmt.Errorf("read CRDs below %s: no files", r.Root)
		}
		for _, path := range r.Files {
			inputs = append(inputs, input{r, path})
		}
	}
	if o.Limits == (syntax.Limits{}) {
		o.Limits = syntax.Default
	}
	files, err := source.Each(ctx, source.Options{Workers: o.Workers, Progress: o.Progress}, inputs, o.read)
	if err != nil {
		return nil, fmt.Errorf("read CRDs: %w", err)
	}
	return gather(o.Releases, files), nil
}

// read reads one file.
func (o Options) read(in input) *file {
	root := in.release.Root
	f := &file{release: in.release, path: path.Join(in.release.Name, in.path), name: filepath.Join(root, filepath.FromSlash(in.path)), wantsTexts: o.Texts}
	body, err := source.ReadFile(os.DirFS(root), root, in.path, o.Limits.Size)
	if err != nil {
		f.reject(source.MessageOf(err))
		return f
	}
	f.parse(body, o.Limits)
	return f
}
