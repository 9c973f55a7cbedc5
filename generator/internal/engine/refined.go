package engine

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/refine"
)

// refined refines the models, limits the run to --only, and checks and applies the
// configuration's rules for kinds and secrets.
func refined(ctx context.Context, ms Models) (Refined, error) {
	rf, chosen, err := refineModels(ctx, ms)
	if err != nil {
		return Refined{}, err
	}
	rf.scope = rf.newScope()
	if len(rf.Resources) == 0 && ms.Only.IsZero() && len(rf.Omitted) == 0 {
		ms.Messages.Add(diag.Warnf(ms.config.At("sources"), "no file of the sources declares a resource, and the ledger has none").
			WithHint("look at the folders, and at include and exclude; strata init --dir ELSEWHERE lists what it finds in a folder"))
	}
	for _, check := range []func(){rf.checkScope, func() { rf.useKinds(chosen) }, func() { ms.useNames(rf) }, rf.useSecrets} {
		check()
		if err := rf.leave(ctx, nil); err != nil {
			return Refined{}, err
		}
	}
	if rf.writesReports {
		return rf, rf.compareReleases(ctx, ms)
	}
	return rf, nil
}

// refineModels refines the models of the sources, and merges them with the ledger's. It also
// returns the kinds that the configuration has given to resource types.
func refineModels(ctx context.Context, ms Models) (Refined, []chosenKind, error) {
	if err := ms.enter(ctx, "refining models"); err != nil {
		return Refined{}, nil, err
	}
	rf := Refined{Sources: ms.Sources, Declarations: ms.Declarations, units: ms.units}
	var chosen []chosenKind
	result := refine.Refine(ctx, slices.SortedStableFunc(slices.Values(ms.Resources), model.ByType), refine.Options{
		Known: ms.Ledger.Models(), Lenient: ms.Lenient, Rename: ms.renames, Choose: ms.typeOf, Names: ms.config.Names, Compares: ms.compares,
		Kind: func(resource, otherwise string) string {
			c, ok := ms.chosenKind(resource, otherwise)
			if ok {
				chosen = append(chosen, c)
			}
			return c.Kind
		},
	})
	rf.Omitted = ms.reportProblems(result.Problems)
	ms.disagreements(result)
	ms.unusedTypes(result, len(rf.Omitted) > 0)
	late := ms.lateTypes(result)
	for _, n := range result.Notes {
		m := diag.Notef(ms.positions.At(n.Pos), "%s %s: %s", n.Type, n.Version, n.Text)
		m.Hint = n.Hint
		ms.Messages.Add(m)
	}
	rf.Merged = result.Conflicts
	merged, findings := ms.Ledger.Merge(ctx, result.Resources)
	for _, f := range findings {
		if !late[[3]string{f.Type, f.Version, f.Path}] {
			ms.finding(f, ms.lostChoice(f, result.Conflicts))
		}
	}
	rf.Resources, rf.FreeJSON = merged, refine.Conflicts(merged)
	return rf, chosen, ms.leave(ctx, nil)
}

// reportProblems reports the problems of refining. A lenient run omits the versions concerned.
// The result lists all versions that the run omits so far.
func (ms Models) reportProblems(problems []refine.Problem) []output.Omitted {
	left := newOmissions(ms.Sources, ms.Omitted)
	for _, p := range problems {
		if p.Choices != nil {
			continue // see disagreements
		}
		m := diag.Errorf(ms.positions.At(p.Pos), "%s %s: %s", p.Type, p.Version, p.Text)
		m.Hint = p.Hint
		if ms.Lenient {
			m.Severity = diag.Warning
			left.add(ms.sourceOf(p), p.Type, p.Version, p.Text)
		}
		ms.Messages.Add(m)
	}
	return left.rows
}

// finding reports a difference between the sources and the ledger. A contradiction is an error,
// unless the run is lenient. line is the choice of a type that resolves it; empty if there is
// none.
func (run *Run) finding(f ledger.Finding, line string) {
	m := diag.Errorf(run.positions.At(f.Pos), "%s %s: %s", f.Type, f.Version, f.Text)
	m.Hint = f.Hint
	if !f.Contradicts || run.Lenient {
		m.Severity = diag.Warning
	}
	switch {
	case f.Contradicts && run.Lenient:
		m.Hint = "the version is generated as the ledger has it"
	case line != "":
		where, begins := run.positionOfTypes()
		m = m.WithHint("a type that was chosen once stays chosen: give the choice back with this line %s %s:", where, filepath.Base(run.config.File)).WithPaste(begins + line)
	}
	run.Messages.Add(m)
}

// sourceOf returns the source that declares the version of a problem.
func (ms Models) sourceOf(p refine.Problem) model.Source {
	if r := ms.rawOf(p.Type); r != nil {
		if v := r.Version(p.Version); v != nil && len(v.Sources) > 0 {
			return v.Sources[0]
		}
	}
	return model.Source{}
}
