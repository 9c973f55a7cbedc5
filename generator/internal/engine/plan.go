package engine

import (
	"context"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/plan"
)

// planOptions configure decide.
type planOptions struct {
	// Importing skips the checks of user types: strata import generates no code for them.
	Importing bool
}

// decide makes the plan.
func decide(ctx context.Context, ch Chain, o planOptions) (Plan, error) {
	if err := ch.enter(ctx, "planning conversions"); err != nil {
		return Plan{}, err
	}
	pl := Plan{Chain: ch, plan: plan.Decide(ctx, ch.chain, ch.options())}
	if ctx.Err() != nil {
		return Plan{}, ctx.Err()
	}
	if !o.Importing {
		pl.checkUserTypes()
	}
	pl.checkExports()
	pl.checkUnusedMethods()
	pl.checkUnmoved()
	pl.warnOfAnnotations()
	pl.noteStatusMethods()
	return pl, pl.leave(ctx, nil)
}

// options returns the inputs of the plan other than the chain.
func (ch Chain) options() plan.Options {
	return plan.Options{
		First: ch.Ledger.Types(), Hubs: ch.Ledger.Hubs(), Serving: ch.serving, AddStatus: ch.addsStatus,
		Augmentations: ch.Methods, Functions: ch.planned(), Own: ch.UserTypes, Exports: ch.exported(), FreeJSON: ch.FreeJSON, Names: ch.config.Names,
	}
}

// addsStatus reports whether the configuration adds a status subresource to a resource's versions.
func (run *Run) addsStatus(r *chain.Resource) bool {
	return run.config.Kinds[run.kindOf(r.Model)].AddStatus
}

// warnOfAnnotations warns of versions without a status subresource, because they store hidden
// values in an annotation.
func (pl Plan) warnOfAnnotations() {
	for _, g := range pl.plan.Groups {
		for _, k := range g.Kinds {
			var labels []string
			for _, kv := range k.Versions {
				if !kv.Subresource && kv.Serving.Served() {
					labels = append(labels, kv.Version.Label)
				}
			}
			if len(labels) > 0 && len(k.Versions) > 1 && pl.scope.hasType(k.Resource.Model.Type) {
				pl.Messages.Add(diag.Warnf(pl.positions.At(k.Versions[0].Version.Model.Pos),
					"%s has no status subresource in %s: an annotation stores the values that a version cannot represent; every writer of the object can edit it, and above 256 KiB it cannot be read",
					k.Name, strings.Join(labels, ", ")).WithHint("give it one: kinds: {%s: {status: add}}", pl.kindOf(k.Resource.Model)))
			}
		}
	}
}
