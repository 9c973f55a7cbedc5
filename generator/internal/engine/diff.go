package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/version"
)

// Diff compares two schema trees, or versions of the resources in the configuration.
func (Engine) Diff(ctx context.Context, r DiffRequest) (DiffResult, error) {
	d := &comparison{DiffRequest: r, config: &config.Config{}}
	if r.Config != "" {
		c, err := config.Read(r.Config, r.Sources)
		if err != nil {
			return DiffResult{}, err
		}
		d.config = c
	}
	all, err := d.compare(ctx)
	if err != nil {
		return DiffResult{}, err
	}
	judged, err := d.judge(all)
	if err != nil {
		return DiffResult{}, err
	}
	if d.Usage {
		if err := d.countUses(ctx, judged.Counting); err != nil {
			return DiffResult{}, err
		}
	}
	return DiffResult{Comparisons: judged.Counting, Ignored: judged.Ignored, Known: judged.Known, At: d.at}, d.unmatched(all)
}

// judge applies the configuration's policy and the baseline to the comparisons that were requested.
func (d *comparison) judge(all []diff.Comparison) (diff.Judged, error) {
	known, err := baseline(d.Baseline)
	if err != nil {
		return diff.Judged{}, err
	}
	judge := finding.NewJudge(d.config.Findings, time.Now())
	out := diff.Judge(d.wanted(all), judge, known)
	for _, m := range judge.Warnings() {
		d.Messages.Add(m)
	}
	return out, nil
}

// comparison is one run of strata diff. Its config is empty if the request has none.
type comparison struct {
	DiffRequest
	config    *config.Config
	positions interface{ At(model.Pos) diag.Pos }
}

func (d *comparison) at(pos model.Pos) diag.Pos {
	if d.positions == nil {
		return diag.At(pos.File, pos.Offset, "")
	}
	return d.positions.At(pos)
}

func (d *comparison) compare(ctx context.Context) ([]diff.Comparison, error) {
	switch {
	case d.Old == "" && d.Config == "":
		return nil, diag.Errorf(diag.Pos{}, "nothing to compare").
			WithHint("name two folders, or begin a configuration with strata init; with strata.yaml in this folder every version is compared with the one before it").
			WithPaste("  strata diff main:schemas schemas\n  strata diff --config strata.yaml v1.2.0 HEAD\n  strata diff --config strata.yaml 2019-08-01 2022-01-01\n")
	case d.Old == "", d.Config != "" && isVersion(d.Old) && isVersion(d.New):
		return d.versions(ctx)
	}
	return d.trees(ctx)
}

func isVersion(text string) bool {
	_, ok := version.Parse(text)
	return ok
}

// versions compares two versions of every resource that has both, or all neighbours. It follows
// properties as the configuration's chain does.
func (d *comparison) versions(ctx context.Context) ([]diff.Comparison, error) {
	request := d.Request
	request.Only = config.Only{Resources: d.Only.Resources}
	linked, err := newRun(request, d.config).toChain(ctx)
	if err != nil {
		return nil, err
	}
	d.positions = &linked.positions
	if err := linked.enter(ctx, "comparing versions"); err != nil {
		return nil, err
	}
	var out []diff.Comparison
	for _, g := range linked.chain.Groups {
		for _, r := range g.Resources {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if d.Old == "" {
				out = append(out, diff.Neighbours(ctx, r)...)
			} else if from, to := find(r, d.Old), find(r, d.New); from != nil && to != nil {
				out = append(out, diff.Between(ctx, r, from, to))
			}
		}
	}
	if address := explorerOf(d.config.Output.Explorer, linked.chain.Groups); address != nil {
		diff.Link(out, address)
	}
	if len(out) == 0 && d.Old != "" {
		return nil, diag.Errorf(diag.Pos{}, "no resource has both %s and %s", d.Old, d.New).WithHint("strata show prints the versions that there are")
	}
	return out, nil
}

// find returns a resource's version by the vendor's name or the label; nil if there is none.
func find(r *chain.Resource, name string) *chain.Version {
	at := slices.IndexFunc(r.Versions, func(v *chain.Version) bool { return strings.EqualFold(v.Model.Name, name) || v.Label == name })
	if at < 0 {
		return nil
	}
	return r.Versions[at]
}

// trees compares two trees of schemas.
func (d *comparison) trees(ctx context.Context) (all []diff.Comparison, err error) {
	old, later, err := d.openBoth(ctx)
	defer func() { err = errors.Join(err, old.close(), later.close()) }()
	if err != nil {
		return nil, err
	}
	all, problems := compareTrees(ctx, d.Progress, old.resources, later.resources, linkOptions(d.config))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, p := range problems {
		if p.Pos.File != d.config.File || p.Pos.File == "" { // metadata of other versions
			d.Messages.Add(diag.Errorf(diag.At(p.Pos.File, p.Pos.Offset, ""), "%s", p.Text).WithHint("%s", p.Hint))
		}
	}
	for i := range all {
		for j := range all[i].Changes {
			pos := &all[i].Changes[j].Pos
			*pos = old.inRepository(later.inRepository(*pos))
		}
	}
	return all, nil
}

// wanted returns the comparisons that --only requests and that have changes.
func (d *comparison) wanted(all []diff.Comparison) []diff.Comparison {
	if !d.Docs {
		all = diff.WithoutDocs(all)
	}
	return slices.DeleteFunc(slices.Clone(all), func(c diff.Comparison) bool { return len(c.Changes) == 0 || !d.allows(c) })
}

func (d *comparison) allows(c diff.Comparison) bool {
	if !d.Only.AllowsType(c.Resource) {
		return false
	}
	if c.From+c.To == "" {
		return true // a change of all versions
	}
	return slices.ContainsFunc(strings.Split(c.From+", "+c.To, ", "), func(name string) bool {
		return name != "" && d.Only.Allows(c.Resource, name)
	})
}

// unmatched returns an error if --only requests none of the comparisons.
func (d *comparison) unmatched(all []diff.Comparison) error {
	if d.Only.IsZero() || len(all) == 0 || slices.ContainsFunc(all, d.allows) {
		return nil
	}
	return diag.Errorf(diag.Pos{}, "--only selects nothing that has changed").WithHint("types are spelled as in Microsoft.Batch/batchAccounts/pools; letter case does not count")
}
