package standalone

import (
	"context"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
)

// Check compiles the module and vets it with its tests. It links no command: suites run the
// commands of the workspace. The error holds the output of the go command.
func Check(ctx context.Context, m modules.Module, proxy *pack.Proxy) error {
	return with(ctx, m, proxy, proxy.Require, func(c *checkout) error {
		if err := c.run(ctx, []string{"list"}, "-export", "-f={{.ImportPath}}", "./..."); err != nil {
			return err
		}
		return c.run(ctx, []string{"vet"}, "./...")
	})
}

// Download downloads what go mod tidy needs on the module: the requirements of its packages and of
// their tests, and those of the tests of imported packages. It compiles nothing.
func Download(ctx context.Context, m modules.Module, proxy *pack.Proxy) error {
	return with(ctx, m, proxy, proxy.Require, func(c *checkout) error {
		return c.run(ctx, []string{"mod", "tidy"})
	})
}
