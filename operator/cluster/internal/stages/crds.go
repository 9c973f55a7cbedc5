package stages

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/record"
)

// crds changes the CRDs: they get the versions of the package, and its storage version. Versions
// that go stay until the upgrade is pruned, so that clients go on and a rollback is possible.
var crds = Stage{Name: "CRDs", Start: matches, Complete: change, Verify: hasTargets, Undo: change}

// upgradeAnnotation is the annotation of a CRD that an upgrade has changed. Its value is the name
// of the upgrade, a slash and the goal.
const upgradeAnnotation = "cluster.strata.dev/upgrade"

// unservedAnnotation is the annotation of a CRD of which Unserve has stopped serving versions. Its
// value lists them, so that another goal serves them again.
const unservedAnnotation = "cluster.strata.dev/unserved"

func change(ctx context.Context, r *Run) error {
	for i := range r.upgrade.Spec.Kinds {
		if err := r.update(ctx, &r.upgrade.Spec.Kinds[i], r.next); err != nil {
			return fmt.Errorf("%s: %w", r.upgrade.Spec.Kinds[i].CRD, err)
		}
	}
	return nil
}

// update writes the CRD that a function returns, under the resource version that it has read.
func (r *Run) update(ctx context.Context, k *record.Kind, next func(context.Context, *record.Kind) (*crd.CRD, *unstructured.Unstructured, error)) error {
	return crd.Attempt(func() error {
		d, want, err := next(ctx, k)
		if err == nil {
			err = r.holds(ctx)
		}
		switch {
		case err != nil:
			return err
		case k.From == "" && r.upgrade.Spec.Goal != record.Upgraded:
			return nil // a kind that the upgrade has created stays
		case k.From == "" && d != nil:
			return created(k, d)
		case d == nil:
			_, err = r.CRDs.Resource(crd.Resource).Create(ctx, want, metav1.CreateOptions{FieldManager: record.Manager})
		default:
			if err := r.accepts(k, d); err != nil {
				return err
			}
			if r.marked(d) == r.value() && d.Hub() == r.upgrade.Spec.Target(k) {
				return nil
			}
			annotations := want.GetAnnotations()
			if annotations == nil {
				annotations = map[string]string{}
			}
			annotations[upgradeAnnotation] = r.value()
			want.SetAnnotations(annotations)
			_, err = r.CRDs.Resource(crd.Resource).Update(ctx, want, metav1.UpdateOptions{FieldManager: record.Manager})
		}
		return err
	})
}

// created returns an error unless a kind that the plan did not find has the storage version of the
// package. The upgrade has created it then, in this run or an earlier one.
func created(k *record.Kind, d *crd.CRD) error {
	if d.Hub() != k.To {
		return fmt.Errorf("it stores %s and was created since the plan was made, which brings %s: make the plan again", d.Hub(), k.To)
	}
	return nil
}

// value is that of the annotation of a CRD.
func (r *Run) value() string { return r.upgrade.Name + "/" + string(r.upgrade.Spec.Goal) }

// marked returns the annotation of a CRD if it is of this upgrade.
func (r *Run) marked(d *crd.CRD) string {
	o := &unstructured.Unstructured{}
	if o.UnmarshalJSON(d.Text) != nil {
		return ""
	}
	value := o.GetAnnotations()[upgradeAnnotation]
	for _, goal := range []record.Goal{record.Upgraded, record.RolledBack, record.Pruned} {
		if value == r.upgrade.Name+"/"+string(goal) {
			return value
		}
	}
	return ""
}

// next returns the installed CRD of a kind, which is nil if there is none, and what it becomes.
func (r *Run) next(ctx context.Context, k *record.Kind) (*crd.CRD, *unstructured.Unstructured, error) {
	brought, err := r.brought(k)
	if err != nil {
		return nil, nil, err
	}
	d, err := crd.Get(ctx, r.CRDs, k.CRD)
	if apierrors.IsNotFound(err) && k.From == "" {
		return nil, brought, nil
	}
	if err != nil {
		return nil, nil, err
	}
	installed := &unstructured.Unstructured{}
	if err := installed.UnmarshalJSON(d.Text); err != nil {
		return nil, nil, fmt.Errorf("read CRD: %w", err)
	}
	if r.upgrade.Spec.Back || k.From == "" {
		brought = nil
	}
	serveAgain(installed)
	want, err := transition(installed, brought, r.upgrade.Spec.Target(k), func(version string) bool {
		return slices.Contains(d.Stored, version) || r.converts(d, version)
	})
	return d, want, err
}

// brought returns the CRD of the package, or nil if there is no package.
func (r *Run) brought(k *record.Kind) (*unstructured.Unstructured, error) {
	if r.Package == nil {
		return nil, nil
	}
	i := slices.IndexFunc(r.Package.CRDs, func(d *crd.CRD) bool { return d.Name() == k.CRD })
	if i < 0 {
		return nil, fmt.Errorf("the package has no CRD %s", k.CRD)
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(r.Package.CRDs[i].Text); err != nil {
		return nil, fmt.Errorf("read CRD of the package: %w", err)
	}
	unstructured.RemoveNestedField(o.Object, "status")
	return o, nil
}

// converts reports whether the webhook of the plan converts a version. Without a webhook, the API
// server converts all.
func (r *Run) converts(d *crd.CRD, version string) bool {
	if r.Package != nil && slices.ContainsFunc(r.Package.CRDs, func(to *crd.CRD) bool { return to.Name() == d.Name() && !to.Strata && !to.Converts }) {
		return true
	}
	return r.Plan == nil || slices.Contains(r.Plan.Converter.Of(d.Group, d.Kind), version)
}

// hasTargets checks that each CRD has the storage version of the goal.
func hasTargets(ctx context.Context, r *Run) error {
	for i := range r.upgrade.Spec.Kinds {
		k := &r.upgrade.Spec.Kinds[i]
		d, err := crd.Get(ctx, r.CRDs, k.CRD)
		switch {
		case apierrors.IsNotFound(err) && k.From == "" && r.upgrade.Spec.Goal != record.Upgraded:
			continue // the upgrade had not created it yet
		case err != nil:
			return err
		case d.Hub() != r.upgrade.Spec.Target(k):
			return fmt.Errorf("%s: it stores %s: another program has changed it", k.CRD, d.Hub())
		}
	}
	return nil
}

func parse(o *unstructured.Unstructured) (*crd.CRD, error) {
	text, err := o.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("print CRD: %w", err)
	}
	return crd.Parse(text)
}
