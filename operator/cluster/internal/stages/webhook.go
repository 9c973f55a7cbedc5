package stages

import (
	"context"
	"fmt"
	"slices"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/record"
)

// webhook checks that each replica of the webhook converts all versions which the next stage lists.
// A replica that lacks one would fail reads, or lose values.
var webhook = Stage{Name: "Webhook", Start: matches, Complete: ready, Verify: ask, Undo: ready}

func ask(ctx context.Context, r *Run) error {
	for i := range r.upgrade.Spec.Kinds {
		k := &r.upgrade.Spec.Kinds[i]
		if k.From == "" && r.upgrade.Spec.Goal != record.Upgraded {
			continue // a kind that the upgrade has created stays
		}
		d, want, err := r.next(ctx, k)
		if err != nil {
			return err
		}
		after, err := parse(want)
		if err != nil {
			return err
		}
		if d == nil {
			d = &crd.CRD{} // the upgrade creates it
		}
		if err := losesNone(d, after); err != nil {
			return fmt.Errorf("%s: %w", k.CRD, err)
		}
		var versions []string
		for _, v := range after.Versions {
			if v.Served || v.Storage || slices.Contains(d.Stored, v.Name) {
				versions = append(versions, v.Name)
			}
		}
		count, err := r.Replicas(ctx, after, versions)
		if err != nil {
			return fmt.Errorf("%w\ninstall the webhook that converts these versions first", err)
		}
		r.Log(fmt.Sprintf("%s: %d replicas of the webhook convert all versions", k.CRD, count))
	}
	return nil
}

// losesNone returns an error if a version that clients use is not in the CRD that follows. Only
// prune removes such versions.
func losesNone(d, after *crd.CRD) error {
	for _, v := range d.Versions {
		if v.Served && !slices.ContainsFunc(after.Versions, func(of crd.Version) bool { return of.Name == v.Name }) {
			return fmt.Errorf("the new webhook does not convert %s, which is served: use a release that does until the upgrade is pruned", v.Name)
		}
	}
	return nil
}

// matches returns an error if the cluster is not as the plan found it, or has no version to go back
// to.
func matches(ctx context.Context, r *Run) error {
	for i := range r.upgrade.Spec.Kinds {
		k := &r.upgrade.Spec.Kinds[i]
		if k.From == "" {
			continue
		}
		d, err := crd.Get(ctx, r.CRDs, k.CRD)
		if err != nil {
			return err
		}
		if err := r.accepts(k, d); err != nil {
			return fmt.Errorf("%s: %w", k.CRD, err)
		}
	}
	return nil
}

// accepts returns an error unless the CRD of a kind is that of the plan, or one that this upgrade
// or the package has changed.
func (r *Run) accepts(k *record.Kind, d *crd.CRD) error {
	spec := &r.upgrade.Spec
	switch {
	case d.UID != k.UID:
		return fmt.Errorf("its UID is %s, and the plan is about %s: make the plan again", d.UID, k.UID)
	case d.Hub() != k.From && d.Hub() != k.To:
		return fmt.Errorf("it stores %s, and the plan is about %s and %s: make the plan again", d.Hub(), k.From, k.To)
	case r.marked(d) != "", d.Hub() == spec.Target(k) && (k.From != k.To || spec.Goal == record.Pruned):
		return nil
	case r.Plan == nil:
		return fmt.Errorf("the upgrade has not changed it: it stores %s", d.Hub())
	}
	for i := range r.Plan.Kinds {
		if of := &r.Plan.Kinds[i]; of.CRD == k.CRD {
			digest, err := d.Digest()
			if err != nil {
				return err
			}
			if of.Generation != d.Generation && of.Spec != digest {
				return fmt.Errorf("it has changed since the plan was made, from generation %d to %d: make the plan again", of.Generation, d.Generation)
			}
		}
	}
	return nil
}
