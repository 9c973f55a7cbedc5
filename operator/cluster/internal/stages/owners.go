package stages

import (
	"context"
	"fmt"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/dependents"
	"github.com/stratakube/strata/operator/cluster/internal/record"
)

// owners gives the owner references of dependents another version, if theirs goes.
var owners = Stage{Name: "Owners", Start: ready, Complete: heal, Verify: ready, Undo: heal}

func heal(ctx context.Context, r *Run) error {
	var all []dependents.Owner
	err := r.kinds(ctx, func(_ context.Context, k *record.Kind, d *crd.CRD) error {
		if going := r.upgrade.Spec.Going(k); len(going) > 0 {
			all = append(all, dependents.Owner{Group: d.Group, Kind: d.Kind, Target: func(v string) string { return d.Successor(v, going) }})
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		return err
	}
	report, err := r.Heal(ctx, all)
	if err != nil {
		return err
	}
	if err := r.change(ctx, func(status *record.Status) { status.References += report.Written }); err != nil {
		return err
	}
	switch {
	case report.Failed > 0:
		return fmt.Errorf("%d objects keep owner references to versions that go; one is %s: %s", report.Failed, report.Examples[0].Object, report.Examples[0].Reason)
	case len(report.Unread) > 0:
		return fmt.Errorf("the owner references of %d resources were not read; one is %s: %s\nadd --ignore-unread if their objects are owned by none of these kinds", len(report.Unread), report.Unread[0].Resource, report.Unread[0].Reason)
	}
	return nil
}
