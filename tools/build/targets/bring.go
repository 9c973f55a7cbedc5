package targets

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/tools/build/fetch"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
)

// Fetch brings the schemas that schemas/sources.yaml pins.
func Fetch(ctx context.Context) error {
	return do(ctx, one("fetch", func(ctx context.Context, w *modules.Workspace) error {
		return fetch.Run(ctx, fetch.Options{
			Sources: filepath.Join(w.Root, "schemas", "sources.yaml"),
			Dest:    filepath.Join(w.Root, "schemas", ".cache"),
			Mirror:  os.Getenv(fetch.MirrorVariable),
			Report:  func(line string) { fmt.Fprintln(os.Stderr, line) },
		})
	}))
}

// Pack packs all modules and prints their versions, and the variables with which the go command
// finds them, for a shell. The pack stays until the user removes it.
func Pack(ctx context.Context) error {
	return do(ctx, one("pack", func(ctx context.Context, w *modules.Workspace) error {
		proxy, err := pack.Kept(w)
		if err != nil {
			return err
		}
		env, err := proxy.Proxies(ctx)
		if err != nil {
			return err
		}
		for _, m := range proxy.Modules {
			fmt.Println("#", m.ID())
		}
		for _, entry := range env {
			name, value, _ := strings.Cut(entry, "=")
			fmt.Printf("export %s='%s'\n", name, value)
		}
		return nil
	}))
}
