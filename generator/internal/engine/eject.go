package engine

import (
	"context"
	"fmt"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/output"
)

// Eject makes the generated files the author's own.
func (Engine) Eject(ctx context.Context, r EjectRequest) (*output.Changes, error) {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return nil, err
	}
	manifest, err := output.ReadManifest(c.Output.Dir, r.Sources)
	if err != nil {
		return nil, err
	}
	if manifest == nil {
		return nil, diag.Errorf(c.At("output.dir"), "nothing was generated in %s", c.Output.Dir).WithHint("run strata generate first")
	}
	changes, err := output.Eject(ctx, c.Output.Dir, manifest)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		r.Messages.AddError(err)
		return nil, diag.Errorf(c.At("output.dir"), "nothing was ejected").WithHint("run strata generate, or restore the files from version control, and try again")
	}
	if r.DryRun {
		return changes, nil
	}
	if err := changes.Apply(ctx); err != nil {
		return nil, fmt.Errorf("eject: %w", err)
	}
	return changes, nil
}
