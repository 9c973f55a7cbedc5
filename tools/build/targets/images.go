package targets

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/stratakube/strata/tools/build/images"
	"github.com/stratakube/strata/tools/build/modules"
)

// Images builds container images of the commands into bin/images.
func Images(ctx context.Context, tag string) error {
	return do(ctx, one("images", func(ctx context.Context, w *modules.Workspace) error {
		out := filepath.Join(w.Root, "bin", "images")
		built, err := images.Build(ctx, w, images.Options{Out: out, Tag: tag})
		if err == nil {
			fmt.Print(built)
			printLine("they are in " + out)
		}
		return err
	}))
}
