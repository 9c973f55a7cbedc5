package openapi

import (
	"context"
	"fmt"
	"os"

	"github.com/stratakube/strata/generator/internal/source"
)

// Options say what to read. No Include means every file of JSON or YAML; those that are
// no documents of OpenAPI are noted.
type Options = source.Options

// Read reads all documents that match. The result does not depend on the number of
// workers. It fails only where nothing can be read at all: a bad pattern, an unreadable
// root, no file that matches, or a context that ends.
func Read(ctx context.Context, o Options) (*source.Result, error) {
	all, chosen, err := o.Choose("documents", "**/*.{json,yaml,yml}")
	if err != nil {
		return nil, err
	}
	lib := open(o.Root, os.DirFS(o.Root), all)
	units, err := source.Each(ctx, o, chosen, func(path string) *unit { return read(lib, path) })
	if err != nil {
		return nil, fmt.Errorf("read documents: %w", err)
	}
	return gather(units), nil
}
