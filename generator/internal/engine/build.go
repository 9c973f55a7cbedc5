package engine

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/own"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/refine"
	"github.com/stratakube/strata/generator/internal/source"
)

// build is a run in memory, floor by floor.
type build struct {
	Request
	config  *config.Config
	places  source.Places
	listed  listings
	folders chain.Folders

	said      []diag.Message // what the floors had to say
	omitted   []output.Omitted
	left      map[output.Omitted]bool // those of omitted
	old, next *ledger.Ledger
	manifest  *output.Manifest // of the run before; nil if there is none
	declared  []declared
	raw       []*model.Resource
	rawTypes  map[string]*model.Resource // by type in lower case
	renamed   []source.Rename            // by the sources themselves
	functions []source.Function
	exports   []source.Export
	own       []*own.Package // whose types are API types as they are
	given     []source.Definition
	importing bool // what stands in these is not to be generated
	refined   []*model.Resource
	chosen    []chosenKind
	conflicts []refine.Conflict // of all versions
	merging   []refine.Conflict // of those that were read
	scope     scope
	chain     *chain.Chain
	steps     []plan.Augmentation
	plan      *plan.Plan
	// definition has how large each definition is, the largest first.
	definition []CRDSize
}

// declared is a resource version that a source speaks of, understood or not.
type declared struct{ resource, version string }

func newBuild(r Request, c *config.Config) *build {
	b := &build{Request: r, config: c, listed: listings{}, folders: chain.Folders{}, rawTypes: map[string]*model.Resource{}, left: map[output.Omitted]bool{}}
	for provider, folder := range c.Groups.Folders {
		b.folders[strings.ToLower(provider)] = folder
	}
	return b
}

// stage is a part of a run that people are told of when it begins; one without a name is quick.
type stage struct {
	name string
	run  func(context.Context) error
}

func quick(run func(context.Context) error) stage { return stage{run: run} }

// The stages that several commands have. Reading schemas names itself, with the number of files.
func (b *build) atLedger() stage  { return stage{"reading the ledger", b.remember} }
func (b *build) atSchemas() stage { return quick(b.read) }
func (b *build) atModels() stage  { return stage{"refining models", b.refine} }
func (b *build) atChain() stage   { return stage{"linking versions", b.link} }

// enter begins a stage, unless the run is to end.
func (b *build) enter(ctx context.Context, name string) error {
	if name != "" && ctx.Err() == nil {
		b.Progress.Stage(name, 0)
	}
	return ctx.Err()
}

// models goes from the sources to refined models, united with the ledger's. All
// errors of a floor are reported at once; a floor with errors is the last.
func (b *build) models(ctx context.Context) error {
	return b.climb(ctx, b.atLedger(), b.atSchemas(), b.atModels(), quick(b.narrow), quick(b.useKinds), quick(b.useSecrets))
}

// run goes from the sources to the plan.
func (b *build) run(ctx context.Context) error {
	return b.climb(ctx, b.atLedger(), quick(b.recall), b.atSchemas(), b.atModels(), quick(b.narrow), quick(b.useKinds), quick(b.useSecrets),
		stage{"reading hand-written steps", b.hands}, b.atChain(), stage{"planning conversions", b.decide})
}

// linked goes from the sources to the chain.
func (b *build) linked(ctx context.Context) error {
	return b.climb(ctx, b.atLedger(), quick(b.recall), b.atSchemas(), b.atModels(), quick(b.narrow), quick(b.useKinds), quick(b.useSecrets),
		stage{"reading hand-written steps", b.hands}, b.atChain())
}

func (b *build) climb(ctx context.Context, stages ...stage) error {
	for _, s := range stages {
		if err := b.enter(ctx, s.name); err != nil {
			return err
		}
		if err := cmp.Or(s.run(ctx), ctx.Err()); err != nil {
			return err
		}
		if b.Messages.Count(diag.Error) > 0 {
			return b.Messages.Err()
		}
	}
	return nil
}

// remember reads the ledger.
func (b *build) remember(ctx context.Context) (err error) {
	b.old, err = ledger.Read(ctx, filepath.Join(b.config.Output.Dir, output.LedgerDir))
	return err
}

// refine refines what was read, and unites it with the ledger.
func (b *build) refine(ctx context.Context) error {
	slices.SortStableFunc(b.raw, model.ByType)
	result := refine.Refine(ctx, b.raw, refine.Options{Known: b.old.Models(), Lenient: b.Lenient, Rename: b.renames, Choose: b.typeOf, Kind: b.chosenKind})
	for _, p := range result.Problems {
		if p.Choices == nil {
			b.problem(p)
		}
	}
	b.disagreements(result)
	b.unusedTypes(result)
	for _, n := range result.Notes {
		m := diag.Notef(b.places.At(n.Pos), "%s %s: %s", n.Type, n.Version, n.Text)
		m.Hint = n.Hint
		b.Messages.Add(m)
	}
	b.merging = result.Conflicts
	merged, findings := b.old.Merge(ctx, result.Resources)
	for _, f := range findings {
		b.finding(f)
	}
	b.refined, b.conflicts = merged, freeJSON(merged)
	return nil
}

func (b *build) problem(p refine.Problem) {
	m := diag.Errorf(b.places.At(p.Pos), "%s %s: %s", p.Type, p.Version, p.Text)
	m.Hint = p.Hint
	if b.Lenient {
		m.Severity = diag.Warning
		b.omit(b.sourceOf(p), p.Type, p.Version, p.Text)
	}
	b.Messages.Add(m)
}

// finding says where the sources and the ledger differ. What contradicts the
// ledger is an error, unless what cannot be understood is to be left out.
func (b *build) finding(f ledger.Finding) {
	m := diag.Errorf(b.places.At(f.Pos), "%s %s: %s", f.Type, f.Version, f.Text)
	m.Hint = f.Hint
	if !f.Contradicts || b.Lenient {
		m.Severity = diag.Warning
	}
	if f.Contradicts && b.Lenient {
		m.Hint = "the version is generated as the ledger has it"
	}
	b.Messages.Add(m)
}

// sourceOf finds where a problem's version was declared.
func (b *build) sourceOf(p refine.Problem) model.Source {
	if r := b.rawOf(p.Type); r != nil {
		if v := r.Version(p.Version); v != nil && len(v.Sources) > 0 {
			return v.Sources[0]
		}
	}
	return model.Source{}
}
