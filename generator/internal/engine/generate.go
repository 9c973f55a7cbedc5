package engine

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/gomodule"
	"github.com/stratakube/strata/generator/internal/output"
)

// Engine implements the commands of package cli.
type Engine struct{}

// Generate runs the generator. It changes nothing unless all stages succeed.
func (Engine) Generate(ctx context.Context, r GenerateRequest) (result GenerateResult, err error) {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return GenerateResult{}, err
	}
	run := newRun(r.Request, c)
	run.writesReports = true
	defer func() {
		if err == nil {
			run.noteNoModule()
		}
	}()
	if err := run.enter(ctx, "looking for changes"); err != nil {
		return GenerateResult{}, err
	}
	program, unknown := digestOfProgram(ctx, r.Request)
	if unknown == nil && !r.Check {
		if result, ok, err := run.generatePart(ctx, r, program); ok || err != nil {
			return result, err
		}
	}
	last := newStamping(ctx, r.Request, c, run.listings, r.Check)
	if before, ok := last.fresh(ctx); ok {
		return last.again(before), nil
	}
	planned, err := run.toPlan(ctx, planOptions{})
	if err != nil {
		return GenerateResult{}, err
	}
	err = planned.produce(ctx, r.bodies(), func(produced GenerateResult) (err error) {
		result = produced
		reported := run.Messages.Messages()
		run.Messages.Add(result.Changes.Messages...)
		if r.writes() {
			err = run.write(ctx, last, result, reported)
			if err == nil && unknown == nil {
				_ = planned.index(ctx, program, result.Changes) // without it, runs with --only read everything
			}
		}
		return err
	})
	if err == nil {
		planned.noteFreeJSON()
		planned.warnOfApart()
	}
	return result, err
}

// writes reports whether the run writes files.
func (r GenerateRequest) writes() bool { return !r.Check && !r.DryRun }

// bodies returns where the run keeps files that differ.
func (r GenerateRequest) bodies() output.Bodies {
	if r.writes() {
		return output.OnStage
	}
	return output.Nowhere
}

// produce prints the plan, compares the files with those on disk, and calls use with the result.
func (pl Plan) produce(ctx context.Context, bodies output.Bodies, use func(GenerateResult) error) (err error) {
	printed, err := pl.print(ctx, bodies)
	defer func() {
		if closed := printed.Close(); err == nil {
			err = closed
		}
	}()
	if err != nil {
		return err
	}
	changes, err := printed.compare(ctx)
	if err != nil {
		return err
	}
	return use(GenerateResult{Summary: pl.summary(changes), CRDs: printed.Sizes, Changes: changes})
}

// errNoPart is that a run cannot be limited to some groups.
var errNoPart = errors.New("everything must be read")

// generatePart generates the groups of resources that --only asks for, without reading what belongs
// to others. ok is false if it has written nothing, because a run must read everything: the index
// of the last complete run is missing or outdated, there is a new resource, or there are errors.
// That run reports them.
func (run *Run) generatePart(ctx context.Context, r GenerateRequest, program output.Digest) (result GenerateResult, ok bool, err error) {
	p := partOf(ctx, r.Request, run, program)
	if p == nil {
		return GenerateResult{}, false, ctx.Err()
	}
	r.Messages = new(diag.List)
	limited := newRun(r.Request, run.config)
	limited.part, limited.writesReports, limited.listings = p, true, run.listings
	planned, err := limited.toPlan(ctx, planOptions{})
	if err != nil || !p.isWhole(planned) {
		return GenerateResult{}, false, ctx.Err()
	}
	err = planned.produce(ctx, r.bodies(), func(produced GenerateResult) error {
		result, ok = produced, true
		r.Messages.Add(result.Changes.Messages...)
		run.Messages.Add(r.Messages.Messages()...)
		if !r.writes() {
			return nil
		}
		return run.apply(ctx, result)
	})
	if !ok {
		return GenerateResult{}, false, ctx.Err()
	}
	if err == nil {
		planned.Messages = run.Messages
		planned.noteFreeJSON()
		planned.warnOfApart()
	}
	return result, true, err
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
	if err := run.apply(ctx, result); err != nil {
		return err
	}
	if err := last.stamp(ctx, result, reported); err != nil {
		run.Messages.Notef(diag.Pos{}, "the next run will not be spared: %v", err)
	}
	return nil
}

// apply writes the changes.
func (run *Run) apply(ctx context.Context, result GenerateResult) error {
	result.Changes.Progress = run.Progress.Counter("writing files")
	if err := result.Changes.Apply(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return diag.Errorf(run.config.At("output.dir"), "%v", err).
			WithHint("if a file could not get its name, some files are new and some are not: see to it that all of the output folder can be written, and run strata generate again")
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
