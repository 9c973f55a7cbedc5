package engine

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/emit/report"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/refine"
	"github.com/stratakube/strata/generator/internal/source"
)

// The generator is a pipeline. Each stage is a function from the value of the previous stage to
// its own value, and does not change its input:
//
//	Run -list-> Sources -read-> Models -refined-> Refined -augmented-> Augmented -link-> Chain -decide-> Plan -print-> Printed
//
// A stage reports all errors that it finds, and a stage with errors is the last of its command. A
// value contains the data that later stages read, and no more.

// Run contains the data that does not change during one command.
type Run struct {
	Request
	config        *config.Config
	listings      listings
	folders       chain.Folders
	positions     source.Positions // a cache
	writesReports bool
	compares      bool  // nothing is generated
	part          *part // nil if the run reads everything
}

// Sources contains the data of a command before it reads schemas.
type Sources struct {
	*Run
	Ledger   *ledger.Ledger
	Manifest *output.Manifest // of the last run; nil if there is none, or if the command does not need it
}

// Models contains the declarations of the sources that take part in the run.
type Models struct {
	Sources
	Declarations
	Resources []*model.Resource  // raw
	Releases  [][]source.Release // of each source that has several releases
	Omitted   []output.Omitted

	byType map[string]*model.Resource // by type in lower case
	units  [][]source.Unit            // of each source in order; nil for one that does not list them
}

// Declarations are the declarations of sources that are not models. Stages after refining need
// them.
type Declarations struct {
	Renames   []source.Rename
	Changes   []source.Change
	Functions []source.Function
	Exports   []source.Export
	UserTypes []*augmentation.Package // their types are API types
	CRDs      []source.Definition
}

// Refined contains the refined models of the sources, merged with those of the ledger. No later
// stage reads the raw models.
type Refined struct {
	Sources
	Declarations
	Resources []*model.Resource
	FreeJSON  []refine.Conflict // of all versions
	Merged    []refine.Conflict // of the versions that were read
	Omitted   []output.Omitted  // omitted by reading or refining
	Releases  []report.Release  // of CRDs; empty for commands without reports

	units [][]source.Unit // see Models

	scope scope
}

// Augmented adds the hand-written methods in the folders of generated code.
type Augmented struct {
	Refined
	Methods []augmentation.Method
}

// Chain adds the versions of each resource, linked to its hub, and the ledger after the run.
type Chain struct {
	Augmented
	chain *chain.Chain
	Next  *ledger.Ledger
}

// Plan adds every decision about the files to generate.
type Plan struct {
	Chain
	plan *plan.Plan
}

// Printed contains the files of a run, compared with those on disk.
type Printed struct {
	Plan
	Sizes []CRDSize // the largest first

	comparison *output.Comparison

	mu   sync.Mutex
	left map[string]bool // paths of other resources' files, which a run with --only does not touch
}

func newRun(r Request, c *config.Config) *Run {
	return &Run{Request: r, config: c, listings: listings{}, folders: foldersOf(c)}
}

// foldersOf returns the folders of providers that the configuration chooses.
func foldersOf(c *config.Config) chain.Folders {
	out := chain.Folders{}
	for provider, folder := range c.Groups.Folders {
		out[strings.ToLower(provider)] = folder
	}
	return out
}

// toRefined runs all stages up to the refined models. It needs no manifest.
func (run *Run) toRefined(ctx context.Context) (Refined, error) {
	sources, err := list(ctx, run)
	if err != nil {
		return Refined{}, err
	}
	return sources.toRefined(ctx)
}

func (src Sources) toRefined(ctx context.Context) (Refined, error) {
	models, err := read(ctx, src)
	if err != nil {
		return Refined{}, err
	}
	return refined(ctx, models)
}

// toChain runs all stages up to the chain.
func (run *Run) toChain(ctx context.Context) (Chain, error) {
	sources, err := list(ctx, run)
	if err != nil {
		return Chain{}, err
	}
	if sources, err = recall(ctx, sources); err != nil {
		return Chain{}, err
	}
	models, err := sources.toRefined(ctx)
	if err != nil {
		return Chain{}, err
	}
	augmented, err := augment(ctx, models)
	if err != nil {
		return Chain{}, err
	}
	return link(ctx, augmented)
}

// toPlan runs all stages up to the plan.
func (run *Run) toPlan(ctx context.Context, o planOptions) (Plan, error) {
	linked, err := run.toChain(ctx)
	if err != nil {
		return Plan{}, err
	}
	return decide(ctx, linked, o)
}

// enter shows the name of a stage as progress, unless the context has ended.
func (run *Run) enter(ctx context.Context, name string) error {
	if ctx.Err() == nil {
		run.Progress.Stage(name, 0)
	}
	return ctx.Err()
}

// leave returns the error that ends the run after a stage: err, the context's error, or the
// errors that were collected. It is nil if the next stage may begin.
func (run *Run) leave(ctx context.Context, err error) error {
	return cmp.Or(err, ctx.Err(), run.Messages.Err())
}
