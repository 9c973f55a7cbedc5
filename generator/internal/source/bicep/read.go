package bicep

import (
	"context"
	"fmt"
	"os"

	"github.com/stratakube/strata/generator/internal/source"
)

// Options say what to read. No Include means every file that is called types.json.
type Options = source.Options

// Read reads all files that match. The result does not depend on the number of
// workers. It fails only where nothing can be read at all: a bad pattern, an
// unreadable root, no file that matches, or a context that ends.
func Read(ctx context.Context, o Options) (*source.Result, error) {
	_, chosen, err := o.Choose("types", "**/types.json")
	if err != nil {
		return nil, err
	}
	units, err := source.Each(ctx, o, chosen, func(path string) *unit { return read(os.DirFS(o.Root), o.Root, path) })
	if err != nil {
		return nil, fmt.Errorf("read types: %w", err)
	}
	return gather(units), nil
}
