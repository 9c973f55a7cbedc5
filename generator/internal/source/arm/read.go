package arm

import (
	"context"
	"os"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
)

// Options configure what to read. Without Include, these are all files whose name ends in .json.
type Options = source.Options

// Read reads all schemas that match. The result does not depend on the number of workers. It fails
// only if nothing can be read: for a bad pattern, an unreadable root, no matching file, or a
// context that ended.
func Read(ctx context.Context, o Options) (*source.Result, error) {
	var lib *library
	units, err := source.ReadAll(ctx, o, "schemas", "**/*.json", func(all []string) func(path string) *document.Unit {
		lib = open(o.Root, os.DirFS(o.Root), all)
		return func(path string) *document.Unit { return compileFile(lib, path) }
	})
	if err != nil {
		return nil, err
	}
	result := document.Gather(units)
	if !lib.readsAll.Load() {
		result.Units = document.Units(units)
	}
	return result, nil
}
