package stages

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
)

// proved shows that all objects are stored in the storage version.
var proved = Stage{Name: "Verify", Start: ready, Complete: prove, Verify: hasProofs, Undo: prove}

func prove(ctx context.Context, r *Run) error {
	pruning := r.upgrade.Spec.Goal == record.Pruned
	return r.kinds(ctx, func(ctx context.Context, k *record.Kind, d *crd.CRD) error {
		o, err := r.options(k, d)
		if err != nil {
			return err
		}
		o.Progress = func(report rewrite.Report, left int64) { r.Progress(k.CRD, report, left) }
		of := r.status(k)
		if err := r.change(ctx, func(status *record.Status) { status.Of(k.CRD).Evidence = nil }); err != nil {
			return err
		}
		if d.Generation != of.Generation {
			return errChanged
		}
		lists, report, err := rewrite.Prove(ctx, o, of.Marker, pruning)
		if err != nil {
			return err
		}
		return r.change(ctx, func(status *record.Status) {
			of := status.Of(k.CRD)
			of.Poison, of.Examples = report.Poison.Objects, report.Poison.Examples
			if of.Poison == 0 {
				of.Evidence = &record.Evidence{Version: d.Hub(), Generation: d.Generation, Marker: of.Marker, Lists: lists, Time: metav1.Now()}
			}
		})
	})
}

// hasProofs checks that each kind has evidence of its storage version.
func hasProofs(ctx context.Context, r *Run) error {
	if err := noPoison(ctx, r); err != nil {
		return err
	}
	return r.kinds(ctx, func(_ context.Context, k *record.Kind, d *crd.CRD) error { return r.isProved(k, d) })
}

// isProved returns an error unless the evidence of a kind is about its CRD as it is.
func (r *Run) isProved(k *record.Kind, d *crd.CRD) error {
	switch p := r.status(k).Evidence; {
	case p == nil, p.Version != d.Hub(), d.Hub() != r.upgrade.Spec.Target(k):
		return errors.New("nothing proves that its objects are stored in the storage version")
	case p.Generation != d.Generation:
		return errChanged
	}
	return nil
}
