package strata

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/output"
)

// Engine is the generator behind the command line.
type Engine struct{}

var _ cli.Engine = Engine{}

// Generate runs the generator. Nothing is written unless everything succeeded.
func (Engine) Generate(ctx context.Context, r cli.GenerateRequest) (cli.GenerateResult, error) {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return cli.GenerateResult{}, err
	}
	inputs, err := digest(ctx, r.Request, c)
	if err != nil {
		return cli.GenerateResult{}, err
	}
	if spared, ok := spared(ctx, c.Output.Dir, inputs); ok {
		return spared.again(r.Request, c)
	}
	b := newBuild(r.Request, c)
	if err := b.run(ctx); err != nil {
		return cli.GenerateResult{}, err
	}
	result, err := b.compare(ctx)
	if err != nil || r.Check || r.DryRun {
		return result, err
	}
	return result, b.finish(ctx, result)
}

// Show prints the refined models that a run would work with.
func (Engine) Show(ctx context.Context, r cli.ShowRequest) error {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return err
	}
	b := newBuild(r.Request, c)
	if err := b.models(ctx); err != nil {
		return err
	}
	_, err = r.Out.Write(b.text())
	return err
}

// compare prints the plan into memory, and compares it with the disk.
func (b *build) compare(ctx context.Context) (cli.GenerateResult, error) {
	previous, err := output.ReadManifest(b.config.Output.Dir, b.Sources)
	if err != nil {
		return cli.GenerateResult{}, err
	}
	changes, err := b.changes(ctx, previous)
	if err != nil {
		return cli.GenerateResult{}, err
	}
	b.said = b.Messages.Messages()
	b.Messages.Add(changes.Messages...)
	return cli.GenerateResult{Summary: b.summary(changes), Changes: changes}, nil
}

// finish writes the changes, and the stamp that spares the next run. Without a
// stamp the next run is a full one, and that is all.
func (b *build) finish(ctx context.Context, result cli.GenerateResult) error {
	if err := result.Changes.Apply(ctx); err != nil {
		return err
	}
	if err := b.stamp(ctx, result); err != nil {
		b.Messages.Notef(diag.Pos{}, "the next run will not be spared: %v", err)
	}
	return nil
}

func (b *build) stamp(ctx context.Context, result cli.GenerateResult) error {
	inputs, err := digest(ctx, b.Request, b.config) // again: the ledger is one of them
	if err != nil {
		return err
	}
	said, err := json.Marshal(spare{result.Summary, b.said})
	if err != nil {
		return err
	}
	stamp := &output.Stamp{Inputs: inputs, Outputs: result.Changes.Outputs, Result: said}
	return stamp.Write(b.config.Output.Dir)
}

// spare is what a spared run says again.
type spare struct {
	Summary  cli.Summary
	Messages []diag.Message
}

// spared returns what an earlier run said, if it had the same inputs and its
// output lies there as it was written.
func spared(ctx context.Context, dir string, inputs output.Digest) (spare, bool) {
	var said spare
	stamp := output.ReadStamp(dir)
	if !stamp.Fresh(ctx, dir, inputs) || json.Unmarshal(stamp.Result, &said) != nil {
		return said, false
	}
	said.Summary.UpToDate = true
	return said, true
}

// again gives the result of a spared run: what stands on the disk, all kept.
func (s spare) again(r cli.Request, c *config.Config) (cli.GenerateResult, error) {
	manifest, err := output.ReadManifest(c.Output.Dir, r.Sources)
	if err != nil {
		return cli.GenerateResult{}, err
	}
	r.Messages.Add(s.Messages...)
	changes := &output.Changes{Dir: c.Output.Dir, Kept: s.Summary.Files, Manifest: manifest}
	return cli.GenerateResult{Summary: s.Summary, Changes: changes}, nil
}

// digest digests all that a run depends on.
func digest(ctx context.Context, r cli.Request, c *config.Config) (output.Digest, error) {
	var in output.Inputs
	if err := in.AddExecutable(); err != nil {
		return output.Digest{}, err
	}
	in.AddFile("config", r.Config)
	in.AddBytes("options", fmt.Appendf(nil, "%t %v", r.Lenient, r.Only))
	in.AddFile("manifest", filepath.Join(c.Output.Dir, output.ManifestFile))
	if err := in.AddTree("ledger", filepath.Join(c.Output.Dir, output.LedgerDir), nil); err != nil {
		return output.Digest{}, err
	}
	for i, s := range c.Sources {
		if err := in.AddTree(fmt.Sprintf("source %d", i), s.ARM.Root, isSchema); err != nil {
			return output.Digest{}, fmt.Errorf("%s: %w", s.ARM.Root, err)
		}
	}
	return in.Digest(ctx)
}

// isSchema tells which files of a source a schema may be in or refer to.
func isSchema(path string) bool { return strings.EqualFold(filepath.Ext(path), ".json") }

func (b *build) summary(changes *output.Changes) cli.Summary {
	out := cli.Summary{Groups: len(b.plan.Groups), Files: len(changes.Outputs), Omitted: len(b.omitted), FreeJSON: len(b.conflicts)}
	for _, g := range b.plan.Groups {
		out.Resources += len(g.Kinds)
		for _, k := range g.Kinds {
			out.Versions += len(k.Versions)
		}
	}
	return out
}
