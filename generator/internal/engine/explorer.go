package engine

import (
	"context"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/emit/explorer"
	"github.com/stratakube/strata/generator/internal/output"
)

// Explorer writes pages that show the history of each group. It removes pages of groups that an
// earlier run wrote and that are gone.
func (Engine) Explorer(ctx context.Context, r ExplorerRequest) error {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return err
	}
	planned, err := newRun(r.Request, c).toPlan(ctx, planOptions{})
	if err != nil {
		return err
	}
	var histories []*explorer.History
	for _, g := range planned.plan.Groups {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		histories = append(histories, explorer.New(g))
	}
	pages, err := explorer.Files(ctx, histories)
	if err != nil {
		return err
	}
	var files []output.File
	for _, p := range pages {
		files = append(files, output.File(p))
	}
	return writeFolder(ctx, r.Request, r.Dir, files, r.Out)
}
