package engine

import (
	"context"
	"time"

	"github.com/stratakube/strata/generator/internal/analysis/explain"
	"github.com/stratakube/strata/generator/internal/analysis/older"
	"github.com/stratakube/strata/generator/internal/analysis/removals"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/ledger"
)

// Check lists properties that a later version lacks, and properties that look like secrets,
// unless the metadata covers them. It also lists requirements that objects of older versions can
// violate.
func (Engine) Check(ctx context.Context, r CheckRequest) (CheckResult, error) {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return CheckResult{}, err
	}
	linked, err := newRun(r.Request, c).toChain(ctx)
	if err != nil {
		return CheckResult{}, err
	}
	if err := linked.enter(ctx, "assessing removals"); err != nil {
		return CheckResult{}, err
	}
	findings := removals.Find(ctx, linked.chain, removals.Of(c), removals.Options{
		About: linked.scope.hasType, Made: linked.isMade, Known: linked.isGenerated,
	})
	violable := linked.olderRequirements(ctx, linked.scope.hasType)
	if ctx.Err() != nil {
		return CheckResult{}, ctx.Err()
	}
	linked.warnOfApart()
	known, err := baseline(r.Baseline)
	if err != nil {
		return CheckResult{}, err
	}
	out := CheckResult{Strict: c.Check.Strict, At: linked.positions.At}
	judge := finding.NewJudge(c.Findings, time.Now())
	out.Findings = counting(findings, judge, known, &out)
	out.Secrets = counting(linked.likelySecrets(), judge, known, &out)
	out.Older = counting(violable, judge, known, &out)
	for _, m := range judge.Warnings() {
		r.Messages.Add(m)
	}
	return out, nil
}

// counting returns the findings that neither the configuration ignores nor the baseline has. It
// counts the others in the result.
func counting[F interface{ Subject() finding.Subject }](all []F, judge *finding.Judge, known map[string]bool, result *CheckResult) []F {
	var out []F
	for _, f := range all {
		s := f.Subject()
		entry, ignored := judge.Ignores(s)
		switch {
		case ignored:
			result.Ignored = append(result.Ignored, IgnoredFinding{s.Rule, s.Resource, s.Path, s.Fingerprint, entry.Reason})
		case known[s.Fingerprint]:
			result.Known++
		default:
			out = append(out, f)
		}
	}
	return out
}

// isGenerated reports whether the ledger has a property of a type.
func (ch Chain) isGenerated(resourceType, version, typ, property string) bool {
	e := ch.Ledger.Find(resourceType)
	return e != nil && isKnown(e, ledger.Made{Version: version, Type: typ, Property: property})
}

// olderRequirements returns what versions require that objects of older versions can violate.
func (ch Chain) olderRequirements(ctx context.Context, about func(resourceType string) bool) []*older.Finding {
	return older.Find(ctx, ch.chain, older.Options{About: about, Made: ch.isMade})
}

func everyType(string) bool { return true }

// Explain returns the path of a property in every version.
func (Engine) Explain(ctx context.Context, r ExplainRequest) (ExplainResult, error) {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return ExplainResult{}, err
	}
	planned, err := newRun(r.Request, c).toPlan(ctx, planOptions{})
	if err != nil {
		return ExplainResult{}, err
	}
	k, err := explain.Kind(planned.plan, r.Kind)
	if err != nil {
		return ExplainResult{}, err
	}
	found, err := explain.Explain(k, r.Path)
	return ExplainResult{Group: k.Group.Chain.Folder, Kind: k.Name, Properties: found}, err
}
