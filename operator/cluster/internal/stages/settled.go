package stages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
)

// awaited waits until no API server stores objects in another version. Its evidence is a marker: a
// resource version that is later than the last write in another version.
var awaited = Stage{Name: "Settle", Start: ready, Complete: await, Verify: hasMarkers, Undo: await}

// await waits for all API servers, and then for the requests that they had begun before.
func await(ctx context.Context, r *Run) error {
	generations := map[string]int64{}
	err := r.kinds(ctx, func(ctx context.Context, k *record.Kind, d *crd.CRD) error {
		if d.Hub() != r.upgrade.Spec.Target(k) {
			return fmt.Errorf("its CRD stores %s again: another program has changed it", d.Hub())
		}
		generations[k.CRD] = d.Generation
		var unserved []string
		for _, v := range d.Versions {
			if !v.Served {
				unserved = append(unserved, v.Name)
			}
		}
		return r.Await(ctx, d, unserved)
	})
	if err != nil {
		return err
	}
	r.Log(fmt.Sprintf("waits %s for requests that began before", r.Grace))
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(r.Grace):
	}
	return r.kinds(ctx, func(ctx context.Context, k *record.Kind, d *crd.CRD) error {
		if d.Generation != generations[k.CRD] {
			return errChanged
		}
		o, err := r.options(k, d)
		if err != nil {
			return err
		}
		marker, err := rewrite.Marker(ctx, o)
		if err != nil {
			return err
		}
		now := metav1.Now()
		return r.change(ctx, func(status *record.Status) {
			of := status.Of(k.CRD)
			of.Marker, of.Since, of.Generation, of.Evidence = marker, &now, d.Generation, nil
		})
	})
}

// errChanged is about a CRD whose spec has changed. It may have had another storage version in
// between, so that objects written after a marker can be stored in that version.
var errChanged = errors.New("another program has changed its CRD; run the command again, which takes a new marker")

// changed is the line about a CRD that has changed, after which the process takes a new marker.
const changed = "another program has changed a CRD, or its CA bundle was rotated; takes a new marker"

// hasMarkers checks that each kind has a marker, and the storage version and the spec that its CRD
// had then.
func hasMarkers(ctx context.Context, r *Run) error {
	return r.kinds(ctx, func(_ context.Context, k *record.Kind, d *crd.CRD) error {
		of := r.status(k)
		switch {
		case of.Marker == "":
			return errors.New("it has no marker")
		case d.Hub() != r.upgrade.Spec.Target(k):
			return fmt.Errorf("its CRD stores %s: another program has changed it", d.Hub())
		case d.Generation != of.Generation:
			return errChanged
		}
		return nil
	})
}

// status returns a copy of the status of a kind.
func (r *Run) status(k *record.Kind) record.KindStatus {
	r.lock.Lock()
	defer r.lock.Unlock()
	return *r.upgrade.Status.Of(k.CRD)
}

// options returns how the objects of a kind are written.
func (r *Run) options(k *record.Kind, d *crd.CRD) (rewrite.Options, error) {
	var going []string
	for _, v := range r.upgrade.Spec.Going(k) {
		if v != d.Hub() && slices.ContainsFunc(d.Versions, func(of crd.Version) bool { return of.Name == v }) {
			going = append(going, v)
		}
	}
	return r.Rewriting(d, going)
}
