package bicep

import (
	"context"
	"os"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
)

// Options configure what to read. Without Include, these are all files named types.json.
type Options = source.Options

// Read reads all files that match. The result does not depend on the number of workers. It fails
// only if nothing can be read: for a bad pattern, an unreadable root, no matching file, or a
// context that ended.
func Read(ctx context.Context, o Options) (*source.Result, error) {
	units, err := source.ReadAll(ctx, o, "types", "**/types.json", func([]string) func(path string) *document.Unit {
		return func(path string) *document.Unit { return read(os.DirFS(o.Root), o.Root, path) }
	})
	if err != nil {
		return nil, err
	}
	return document.Gather(units), nil
}
