package arm

import (
	"context"
	"fmt"
	"os"

	"github.com/stratakube/strata/generator/internal/source"
)

// Options configure what to read. Without Include, these are all files whose name ends in .json.
type Options = source.Options

// Read reads all schemas that match. The result does not depend on the number of workers. It fails
// only if nothing can be read: for a bad pattern, an unreadable root, no matching file, or a
// context that ended.
func Read(ctx context.Context, o Options) (*source.Result, error) {
	all, chosen, err := o.Choose("schemas", "**/*.json")
	if err != nil {
		return nil, err
	}
	lib := open(o.Root, os.DirFS(o.Root), all)
	units, err := source.Each(ctx, o, chosen, func(path string) *unit { return compileFile(lib, path) })
	if err != nil {
		return nil, fmt.Errorf("read schemas: %w", err)
	}
	return gather(units), nil
}
