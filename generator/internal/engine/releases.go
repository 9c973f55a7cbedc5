package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/analysis/removals"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/emit/report"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/progress"
	"github.com/stratakube/strata/generator/internal/source"
)

// compareReleases compares each release of CRDs with the previous one, as strata diff does, for
// all kinds that the run is about. It notes breaking changes.
func (rf *Refined) compareReleases(ctx context.Context, ms Models) error {
	for _, series := range ms.Releases {
		var old []*model.Resource
		for i, r := range series {
			later, err := ms.modelsOf(ctx, r)
			if err != nil {
				return err
			}
			if i > 0 {
				all, _ := compareTrees(ctx, rf.Progress, old, later, linkOptions(rf.config))
				if ctx.Err() != nil {
					return ctx.Err()
				}
				all = slices.DeleteFunc(all, func(c diff.Comparison) bool { return !rf.scope.hasType(c.Resource) })
				rf.noteLosses(series[i-1], r, all)
				rf.Releases = append(rf.Releases, report.Release{Old: series[i-1].Name, New: r.Name, Changes: all})
			}
			old = later
		}
	}
	return nil
}

// linkOptions returns the options for a chain that serves only for comparing models.
func linkOptions(c *config.Config) chain.Options {
	return chain.Options{Suffix: c.Groups.Suffix, Renames: renamesOf(removals.Of(c))}
}

// modelsOf returns the refined models of a release. It leaves out versions that take no part in
// the run or cannot be refined; other stages have reported the latter.
func (ms Models) modelsOf(ctx context.Context, r source.Release) ([]*model.Resource, error) {
	run := *ms.Run
	run.Messages, run.Lenient = new(diag.List), true
	release := Models{Sources: Sources{Run: &run, Ledger: new(ledger.Ledger)}, byType: map[string]*model.Resource{}}
	for _, resource := range r.Resources {
		part := resource.Head()
		for _, v := range resource.Versions {
			if ms.takesPart(resource.Type, v.Name) {
				part.Versions = append(part.Versions, v)
			}
		}
		if len(part.Versions) > 0 {
			release.Resources = append(release.Resources, part)
			release.byType[strings.ToLower(part.Type)] = part
		}
	}
	rf, _, err := refineModels(ctx, release)
	return rf.Resources, err
}

// noteLosses notes, for each version of two neighbouring releases, the changes that break
// clients.
func (rf *Refined) noteLosses(old, later source.Release, all []diff.Comparison) {
	for _, c := range all {
		var lost []string
		var first diff.Change
		for _, change := range c.Changes {
			if c.From != c.To || change.Severity < finding.Clients {
				continue
			}
			if lost = append(lost, strings.TrimSpace(fmt.Sprintf("%s %s", change.Kind, change.Path))); len(lost) == 1 {
				first = change
			}
		}
		if len(lost) == 0 {
			continue
		}
		text := lost[0]
		if len(lost) > 1 {
			text = fmt.Sprintf("%s, and %d more", text, len(lost)-1)
		}
		rf.Messages.Add(diag.Notef(rf.positions.At(first.Pos), "%s %s changed from %s to %s in ways that break clients: %s", c.Resource, c.To, old.Name, later.Name, text).
			WithHint("%s/%s/%s lists all changes", reportsDir, rf.folderOf(&model.Resource{Type: c.Resource}), report.ReleasesFile))
	}
}

// compareTrees compares two trees of refined models. The problems are those of linking the
// versions of both. The result is incomplete if ctx ends before compareTrees returns.
func compareTrees(ctx context.Context, p *progress.Progress, old, later []*model.Resource, o chain.Options) ([]diff.Comparison, []chain.Problem) {
	if p.Stage("linking versions", 0); ctx.Err() != nil {
		return nil, nil
	}
	union, problems := chain.Link(ctx, diff.Union(old, later), o)
	if ctx.Err() != nil {
		return nil, nil
	}
	if p.Stage("comparing versions", 0); ctx.Err() != nil {
		return nil, nil
	}
	return diff.Trees(ctx, old, later, union), problems
}
