package engine

import (
	"context"
	"io"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// Engine is the generator behind the command line.
type Engine struct{}

// Generate runs the generator. Nothing is written unless everything succeeded.
func (Engine) Generate(ctx context.Context, r GenerateRequest) (GenerateResult, error) {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return GenerateResult{}, err
	}
	b := newBuild(r.Request, c)
	if err := b.enter(ctx, "looking for changes"); err != nil {
		return GenerateResult{}, err
	}
	run := newSparing(ctx, r.Request, c, b.listed)
	if said, ok := run.spared(ctx); ok {
		return run.again(said)
	}
	if err := b.run(ctx); err != nil {
		return GenerateResult{}, err
	}
	result, err := b.compare(ctx)
	if err == nil && !r.Check && !r.DryRun {
		err = b.finish(ctx, run, result)
	}
	if err == nil {
		b.noteFreeJSON()
	}
	return result, err
}

// Show prints the refined models that a run would work with.
func (Engine) Show(ctx context.Context, r ShowRequest) error {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return err
	}
	b := newBuild(r.Request, c)
	if err := b.models(ctx); err != nil {
		return err
	}
	_, err = io.WriteString(r.Out, plaintext.JSON(string(b.text())))
	return err
}

// compare prints the plan into memory, and compares it with the disk.
func (b *build) compare(ctx context.Context) (GenerateResult, error) {
	changes, err := b.changes(ctx)
	if err != nil {
		return GenerateResult{}, err
	}
	b.said = b.Messages.Messages()
	b.Messages.Add(changes.Messages...)
	return GenerateResult{Summary: b.summary(changes), CRDs: b.definition, Changes: changes}, nil
}

// finish writes the changes, and the stamp that spares the next run. Without a
// stamp the next run is a full one, and that is all.
func (b *build) finish(ctx context.Context, run *sparing, result GenerateResult) error {
	result.Changes.Progress = b.Progress.Counter("writing files")
	if err := result.Changes.Apply(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return diag.Errorf(b.config.At("output.dir"), "%v", err).
			WithHint("see to it that the output folder can be written, and run strata generate again")
	}
	if err := run.stamp(ctx, result, b.said); err != nil {
		b.Messages.Notef(diag.Pos{}, "the next run will not be spared: %v", err)
	}
	return nil
}
