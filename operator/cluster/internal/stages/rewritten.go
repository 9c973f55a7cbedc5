package stages

import (
	"context"
	"fmt"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
)

// rewritten writes each object once more, and translates the owners of its fields. An object that
// cannot be written is named, and the others are written.
var rewritten = Stage{Name: "Rewrite", Start: ready, Complete: rewriteAll, Verify: noPoison, Undo: rewriteAll}

func rewriteAll(ctx context.Context, r *Run) error {
	return r.kinds(ctx, func(ctx context.Context, k *record.Kind, d *crd.CRD) error {
		if r.Elsewhere != nil {
			return r.elsewhere(ctx, k, d)
		}
		o, err := r.options(k, d)
		if err != nil {
			return err
		}
		// The marker of Settle shows what an interrupted run has written, so that this one goes on there.
		if of := r.status(k); of.Generation == d.Generation {
			o.Marker = of.Marker
		}
		o.Progress = func(report rewrite.Report, left int64) {
			r.Progress(k.CRD, report, left)
			_ = r.counted(ctx, k.CRD, report, left) // the last count is saved in any case
		}
		report, err := rewrite.Run(ctx, o)
		if saveErr := r.counted(ctx, k.CRD, report, 0); err == nil {
			err = saveErr
		}
		return err
	})
}

// elsewhere lets another program write the objects of a kind. Verify then counts them.
func (r *Run) elsewhere(ctx context.Context, k *record.Kind, d *crd.CRD) error {
	var stored []string
	for _, v := range []string{k.From, k.To} {
		if v != "" && r.upgrade.Spec.Goal != record.Pruned {
			stored = append(stored, v)
		}
	}
	err := r.Elsewhere(ctx, d, fmt.Sprintf("%s.%s.%s", r.upgrade.Name, r.status(k).Marker, k.CRD), stored)
	if saveErr := r.counted(ctx, k.CRD, rewrite.Report{}, 0); err == nil {
		err = saveErr
	}
	return err
}

func (r *Run) counted(ctx context.Context, crd string, report rewrite.Report, left int64) error {
	return r.count(ctx, crd, func(of *record.KindStatus) {
		of.Objects, of.Written, of.Unchanged, of.Entries, of.Left = report.Objects, report.Written, report.Unchanged, report.Entries, left
		of.Poison, of.Examples = report.Poison.Objects, report.Poison.Examples
	})
}

// noPoison checks that no object is left which cannot be written.
func noPoison(ctx context.Context, r *Run) error {
	return r.kinds(ctx, func(_ context.Context, k *record.Kind, _ *crd.CRD) (err error) {
		r.is(func(u *record.Upgrade) bool {
			if of := u.Status.Of(k.CRD); of.Poison > 0 {
				err = poison(of.Poison, of.Examples)
			}
			return true
		})
		return err
	})
}

func poison(count int, examples []rewrite.Example) error {
	return fmt.Errorf("%d of its objects cannot be written, and the others are; one is %s: %s\nmend or delete these objects, and run the command again",
		count, examples[0].Object, examples[0].Reason)
}
