package standalone

import (
	"context"
	"os"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
)

// Check builds the module and vets it with its tests. The error holds what the go command said.
func Check(ctx context.Context, m modules.Module, proxy *pack.Proxy) error {
	return with(ctx, m, proxy, proxy.Require, func(c *checkout) error {
		if err := c.run(ctx, []string{"build"}, "-o", os.DevNull, "./..."); err != nil {
			return err
		}
		return c.run(ctx, []string{"vet"}, "./...")
	})
}

// Download downloads what the module and its tests are built of. It compiles nothing.
func Download(ctx context.Context, m modules.Module, proxy *pack.Proxy) error {
	return with(ctx, m, proxy, proxy.Require, func(c *checkout) error {
		return c.run(ctx, []string{"list"}, "-deps", "-test", "./...")
	})
}
