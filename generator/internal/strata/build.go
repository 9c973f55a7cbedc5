package strata

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/refine"
	"github.com/stratakube/strata/generator/internal/source"
)

// build is a run in memory, floor by floor.
type build struct {
	cli.Request
	config *config.Config
	places source.Places

	said      []diag.Message // what the floors had to say
	omitted   []output.Omitted
	raw       []*model.Resource
	refined   []*model.Resource
	conflicts []refine.Conflict
	old, next *ledger.Ledger
	chain     *chain.Chain
	plan      *plan.Plan
}

func newBuild(r cli.Request, c *config.Config) *build { return &build{Request: r, config: c} }

// models goes from the sources to refined models. All errors of a floor are
// reported at once; a floor with errors is the last.
func (b *build) models(ctx context.Context) error { return b.climb(ctx, b.read, b.remember, b.refine) }

// run goes from the sources to the plan.
func (b *build) run(ctx context.Context) error {
	if err := b.climb(ctx, b.read, b.remember, b.refine, b.link); err != nil {
		return err
	}
	b.plan = plan.Decide(b.chain, plan.Options{First: b.old.Types(), Hubs: b.old.Hubs()})
	return nil
}

func (b *build) climb(ctx context.Context, floors ...func(context.Context) error) error {
	for _, floor := range floors {
		if err := cmp.Or(floor(ctx), ctx.Err()); err != nil {
			return err
		}
		if b.Messages.Count(diag.Error) > 0 {
			return b.Messages.Err()
		}
	}
	return nil
}

// read reads all sources.
func (b *build) read(ctx context.Context) error {
	byType := map[string]*model.Resource{}
	for _, s := range b.config.Sources {
		result, err := readSource(ctx, s, b.Progress.Counter("reading schemas"))
		if err != nil {
			return diag.Errorf(s.Pos, "%v", err)
		}
		b.Messages.Add(result.Notes...)
		for _, broken := range result.Broken {
			b.broken(broken)
		}
		for _, r := range result.Resources {
			b.add(byType, r)
		}
	}
	return nil
}

// unmatched reports globs of only.resources that match no resource.
func (b *build) unmatched() {
	for i, glob := range b.config.Only.Resources {
		one := config.Only{Resources: []string{glob}}
		if !slices.ContainsFunc(slices.Concat(b.raw, b.old.Models()), func(r *model.Resource) bool { return one.Allows(r.Type, "") }) {
			b.Messages.Add(diag.Errorf(b.config.At(fmt.Sprintf("only.resources[%d]", i)), "no resource matches %q", glob).
				WithHint("types are spelled as in Microsoft.Batch/batchAccounts/pools; letter case does not count"))
		}
	}
}

// add unites what several sources declare of one resource.
func (b *build) add(byType map[string]*model.Resource, r *model.Resource) {
	key := strings.ToLower(r.Type)
	if known := byType[key]; known != nil {
		known.Versions = append(known.Versions, r.Versions...)
		return
	}
	byType[key] = r
	b.raw = append(b.raw, r)
}

// broken makes errors, or an omission, of what cannot be understood.
func (b *build) broken(broken source.Broken) {
	if !b.Lenient {
		b.Messages.Add(broken.Messages...)
		return
	}
	var reasons []string
	for _, m := range broken.Messages {
		reasons = append(reasons, m.Text)
		m.Severity = diag.Warning
		b.Messages.Add(m)
	}
	b.omit(broken.Source, broken.Type, broken.Version, strings.Join(reasons, "; "))
}

func (b *build) omit(s model.Source, resourceType, version, reason string) {
	b.omitted = append(b.omitted, output.Omitted{
		Source: output.Source{Kind: s.Kind, Type: resourceType, Version: version, File: s.File},
		Reason: reason,
	})
}

// remember reads the ledger.
func (b *build) remember(context.Context) (err error) {
	if b.old, err = ledger.Read(b.ledgerDir()); err == nil {
		b.unmatched()
	}
	return err
}

// refine refines what was read, and unites it with the ledger.
func (b *build) refine(context.Context) error {
	slices.SortStableFunc(b.raw, func(x, y *model.Resource) int {
		return strings.Compare(strings.ToLower(x.Type), strings.ToLower(y.Type))
	})
	result := refine.Refine(b.raw, refine.Options{Known: b.old.Models(), Lenient: b.Lenient})
	b.conflicts = result.Conflicts
	for _, p := range result.Problems {
		b.problem(p)
	}
	for _, n := range result.Notes {
		b.Messages.Notef(b.places.At(n.Pos), "%s %s: %s", n.Type, n.Version, n.Text)
	}
	merged, findings := b.old.Merge(result.Resources, b.admits)
	b.refined = merged
	for _, f := range findings {
		m := diag.Errorf(b.places.At(f.Pos), "%s", f.Text).WithHint("%s", f.Hint)
		if !f.Error {
			m.Severity = diag.Warning
		}
		b.Messages.Add(m)
	}
	return nil
}

// admits tells what may newly enter the ledger.
func (b *build) admits(resourceType, version string) bool {
	return b.config.Only.Allows(resourceType, version) && b.Only.Allows(resourceType, version)
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

// sourceOf finds where a problem's version was declared.
func (b *build) sourceOf(p refine.Problem) model.Source {
	for _, r := range b.raw {
		if !strings.EqualFold(r.Type, p.Type) {
			continue
		}
		if v := r.Version(p.Version); v != nil && len(v.Sources) > 0 {
			return v.Sources[0]
		}
	}
	return model.Source{}
}

// link makes the chain, and the ledger that the run leaves behind.
func (b *build) link(context.Context) error {
	opts := chain.Options{Suffix: b.config.Groups.Suffix, Keys: b.old.Keys()}
	for _, n := range b.config.Renames {
		opts.Renames = append(opts.Renames, chain.Rename{
			Folder: n.Group, Version: n.Version, Type: n.Type, Property: n.Property, To: n.To,
			Pos: model.Pos{File: n.Pos.File, Offset: n.Pos.Offset},
		})
	}
	c, problems := chain.Link(b.refined, opts)
	for _, p := range problems {
		b.Messages.Add(diag.Errorf(b.at(p.Pos), "%s", p.Text).WithHint("%s", p.Hint))
	}
	b.chain = c
	b.next = b.old.With(c, b.served)
	return nil
}

// at gives a position in a schema or in the configuration.
func (b *build) at(pos model.Pos) diag.Pos {
	for _, n := range b.config.Renames {
		if n.Pos.File == pos.File && n.Pos.Offset == pos.Offset {
			return n.Pos
		}
	}
	return b.places.At(pos)
}

// served lists the labels of the versions that the run serves: the newest
// stable ones, the newest previews later than the last stable one (of resources
// that have only previews: of all), and the hub's.
func (b *build) served(r *chain.Resource) []string {
	serve := b.config.Versions.Serve
	stable, preview := 0, 0
	last := len(r.Versions)
	for last > 0 && r.Versions[last-1].Preview {
		last--
	}
	var out []string
	for i := len(r.Versions) - 1; i >= 0; i-- {
		v := r.Versions[i]
		wanted := serve == nil || v == r.Hub
		if serve != nil && !v.Preview {
			stable++
			wanted = wanted || stable <= serve.Stable
		} else if serve != nil && i >= last {
			preview++
			wanted = wanted || preview <= serve.Preview
		}
		if wanted {
			out = append(out, v.Label)
		}
	}
	slices.Reverse(out)
	return out
}

func (b *build) ledgerDir() string {
	return filepath.Join(b.config.Output.Dir, output.LedgerDir)
}

// text writes the models that --only asks for, each with the versions it allows.
func (b *build) text() []byte {
	var out []*model.Resource
	for _, r := range b.refined {
		shown := *r
		shown.Versions = slices.DeleteFunc(slices.Clone(r.Versions), func(v *model.Version) bool { return !b.Only.Allows(r.Type, v.Name) })
		if len(shown.Versions) > 0 {
			out = append(out, &shown)
		}
	}
	return model.Print(out...)
}
