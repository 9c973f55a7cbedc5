package engine

import (
	"cmp"
	"context"
	"strings"

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

// The generator is a pipeline. Each stage is a function from the value of the stage before it to
// its own value, and changes no value that it gets:
//
//	Run -list-> Sources -read-> Models -refined-> Refined -augmented-> Augmented -link-> Chain -decide-> Plan -render-> Files
//
// A stage reports all errors that it finds, and a stage with errors is the last of its command. A
// value has what later stages read, and no more.

// Run is what stays the same during one command.
type Run struct {
	Request
	config        *config.Config
	listings      listings
	folders       chain.Folders
	positions     source.Positions // a cache
	writesReports bool
}

// Sources is what a command knows before it reads schemas.
type Sources struct {
	*Run
	Ledger   *ledger.Ledger
	Manifest *output.Manifest // of the last run; nil if there is none, or if the command does not need it
}

// Models is what the sources declare, as far as it takes part in the run.
type Models struct {
	Sources
	Declarations
	Resources []*model.Resource  // raw
	Releases  [][]source.Release // of each source that has several
	Omitted   []output.Omitted

	byType map[string]*model.Resource // by type in lower case
}

// Declarations are what the sources declare beside models. Stages after refining need them.
type Declarations struct {
	Renames   []source.Rename
	Functions []source.Function
	Exports   []source.Export
	UserTypes []*augmentation.Package // their types are API types
	CRDs      []source.Definition
}

// Refined has the refined models of the sources, united with the models of the ledger. No later
// stage sees the raw models.
type Refined struct {
	Sources
	Declarations
	Resources []*model.Resource
	FreeJSON  []refine.Conflict // of all versions
	Merged    []refine.Conflict // of the versions that were read
	Omitted   []output.Omitted  // by reading or refining
	Releases  []report.Release  // of CRDs, each with the one before it; none for commands without reports

	scope scope
}

// Augmented adds the hand-written methods beside generated code.
type Augmented struct {
	Refined
	Methods []augmentation.Method
}

// Chain has the versions of each resource, linked to its hub, and the ledger that the run leaves.
type Chain struct {
	Augmented
	chain *chain.Chain
	Next  *ledger.Ledger
}

// Plan has every decision about the files to generate.
type Plan struct {
	Chain
	plan *plan.Plan
}

// Files is the result of a run in memory.
type Files struct {
	Plan
	Code    []output.File // of resources: Go code, CRDs, packages that install them
	Reports []output.File
	Ledger  []output.File
	Sizes   []CRDSize // the largest first

	left map[string]bool // paths of other resources, which a narrowed run leaves as they are
}

func newRun(r Request, c *config.Config) *Run {
	run := &Run{Request: r, config: c, listings: listings{}, folders: chain.Folders{}}
	for provider, folder := range c.Groups.Folders {
		run.folders[strings.ToLower(provider)] = folder
	}
	return run
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

// leave returns what ends the run after a stage: its error, the context's, or the errors that were
// collected so far. It is nil if the next stage may begin.
func (run *Run) leave(ctx context.Context, err error) error {
	return cmp.Or(err, ctx.Err(), run.Messages.Err())
}
