package engine

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/gomodule"
	"github.com/stratakube/strata/generator/internal/output"
)

// Engine implements the commands of package cli.
type Engine struct{}

// Generate runs the generator. It writes nothing unless all stages succeed.
func (Engine) Generate(ctx context.Context, r GenerateRequest) (result GenerateResult, err error) {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return GenerateResult{}, err
	}
	run := newRun(r.Request, c)
	defer func() {
		if err == nil {
			run.noteNoModule()
		}
	}()
	run.writesReports = true
	if err := run.enter(ctx, "looking for changes"); err != nil {
		return GenerateResult{}, err
	}
	last := newStamping(ctx, r.Request, c, run.listings, r.Check)
	if before, ok := last.fresh(ctx); ok {
		return last.again(before)
	}
	planned, err := run.toPlan(ctx, planOptions{})
	if err != nil {
		return GenerateResult{}, err
	}
	files, err := render(ctx, planned)
	if err != nil {
		return GenerateResult{}, err
	}
	changes, err := compare(ctx, files)
	if err != nil {
		return GenerateResult{}, err
	}
	reported := run.Messages.Messages()
	run.Messages.Add(changes.Messages...)
	result = GenerateResult{Summary: planned.summary(changes), CRDs: files.Sizes, Changes: changes}
	if !r.Check && !r.DryRun {
		err = run.write(ctx, last, result, reported)
	}
	if err == nil {
		planned.noteFreeJSON()
		planned.warnOfApart()
	}
	return result, err
}

// noteNoModule notes that no module contains the output folder, unless there are errors.
func (run *Run) noteNoModule() {
	if _, file := gomodule.ImportPath(run.config.Output.Dir); file != "" || run.Messages.Err() != nil {
		return
	}
	run.Messages.Add(diag.Notef(run.config.At("output.module"), "the folder %s is in no Go module, so that its packages cannot be compiled", run.config.Output.Dir).
		WithHint("go mod init %s", moduleAbove(run.config)))
}

// moduleAbove returns the module of the configuration's folder, as the import path of the output
// folder suggests it.
func moduleAbove(c *config.Config) string {
	module := c.Output.Module
	if below, err := filepath.Rel(c.Dir, c.Output.Dir); err == nil {
		module = strings.TrimSuffix(module, "/"+filepath.ToSlash(below))
	}
	return module
}

// write writes the changes, and the stamp that lets the next run skip its work. Without a stamp
// the next run is a full one.
func (run *Run) write(ctx context.Context, last *stamping, result GenerateResult, reported []diag.Message) error {
	result.Changes.Progress = run.Progress.Counter("writing files")
	if err := result.Changes.Apply(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return diag.Errorf(run.config.At("output.dir"), "%v", err).
			WithHint("if a file could not get its name, some files are new and some are not: see to it that all of the output folder can be written, and run strata generate again")
	}
	if err := last.stamp(ctx, result, reported); err != nil {
		run.Messages.Notef(diag.Pos{}, "the next run will not be spared: %v", err)
	}
	return nil
}

func (pl Plan) summary(changes *output.Changes) Summary {
	out := Summary{Groups: len(pl.plan.Groups), Files: len(changes.Outputs), Omitted: len(changes.Manifest.Omitted), FreeJSON: len(pl.FreeJSON)}
	for _, g := range pl.plan.Groups {
		out.Resources += len(g.Kinds)
		for _, k := range g.Kinds {
			out.Versions += len(k.Versions)
		}
	}
	return out
}
