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
		var marker string
		r.is(func(u *record.Upgrade) bool { marker = u.Status.Of(k.CRD).Marker; return true })
		lists, report, err := rewrite.Prove(ctx, o, marker, pruning)
		if err != nil {
			return err
		}
		return r.change(ctx, func(status *record.Status) {
			of := status.Of(k.CRD)
			of.Poison, of.Examples = report.Poison.Objects, report.Poison.Examples
			if of.Poison == 0 {
				of.Evidence = &record.Evidence{Version: d.Hub(), Marker: marker, Lists: lists, Time: metav1.Now()}
			}
		})
	})
}

// hasProofs checks that each kind has evidence of its storage version.
func hasProofs(ctx context.Context, r *Run) error {
	if err := noPoison(ctx, r); err != nil {
		return err
	}
	return r.kinds(ctx, func(_ context.Context, k *record.Kind, d *crd.CRD) error {
		proves := func(u *record.Upgrade) bool {
			p := u.Status.Of(k.CRD).Evidence
			return p != nil && p.Version == d.Hub() && d.Hub() == u.Spec.Target(k)
		}
		if !r.is(proves) {
			return errors.New("nothing proves that its objects are stored in the storage version")
		}
		return nil
	})
}
