package arm

import (
	"context"
	"fmt"
	"os"

	"github.com/stratakube/strata/generator/internal/source"
)

// Options say what to read. No Include means every file whose name ends in .json.
type Options = source.Options

// Read reads all schemas that match. The result does not depend on the number
// of workers. It fails only where nothing can be read at all: a bad pattern, an
// unreadable root, no file that matches, or a context that ends.
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
