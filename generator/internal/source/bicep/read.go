package bicep

import (
	"context"
	"fmt"
	"os"

	"github.com/stratakube/strata/generator/internal/source"
)

// Options configure what to read. Without Include, these are all files named types.json.
type Options = source.Options

// Read reads all files that match. The result does not depend on the number of workers. It fails
// only if nothing can be read: for a bad pattern, an unreadable root, no matching file, or a
// context that ended.
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
