package openapi

import (
	"context"
	"os"

	"github.com/stratakube/strata/generator/internal/source"
)

// Options configure what to read. Without Include, these are all JSON and YAML files. Files that
// are not OpenAPI documents get a note.
type Options = source.Options

// Read reads all documents that match. The result does not depend on the number of workers. It
// fails only if nothing can be read: for a bad pattern, an unreadable root, no matching file, or a
// context that ended.
func Read(ctx context.Context, o Options) (*source.Result, error) {
	units, err := source.ReadAll(ctx, o, "documents", "**/*.{json,yaml,yml}", func(all []string) func(path string) *unit {
		lib := open(o.Root, os.DirFS(o.Root), all)
		return func(path string) *unit { return read(lib, path) }
	})
	if err != nil {
		return nil, err
	}
	return gather(units), nil
}
