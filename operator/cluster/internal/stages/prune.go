package stages

import (
	"context"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/record"
)

// prune removes the versions that go: first from status.storedVersions, and then from the CRD. It
// is the point of no return, as Reversible checks.
var prune = Stage{Name: "Prune", Start: hasProofs, Complete: pruneAll, Verify: isPruned, Undo: never}

// never is the undo function of stages that no rollback has: the stage CRDs of a rollback serves
// again what Unserve has stopped.
func never(context.Context, *Run) error {
	return errors.New("a rollback does not have this stage")
}

// Reversible returns an error if prune has shortened status.storedVersions of a CRD of an upgrade,
// or has removed its versions. The versions before are then lost.
func Reversible(ctx context.Context, client dynamic.Interface, u *record.Upgrade) error {
	if u.Spec.Goal != record.Pruned {
		return nil
	}
	for i := range u.Spec.Kinds {
		k := &u.Spec.Kinds[i]
		if k.From == "" {
			continue
		}
		d, err := crd.Get(ctx, client, k.CRD)
		if err != nil {
			return err
		}
		shortened := k.From != k.To && (!slices.Contains(d.Stored, k.From) || !slices.Contains(d.Stored, k.To))
		if shortened || isRemoved(d, u) {
			return fmt.Errorf("%s has no version to go back to: upgrade %s is pruned, which is the point of no return; make a new plan", k.CRD, u.Name)
		}
	}
	return nil
}

// isRemoved reports whether prune has removed the versions that go from a CRD.
func isRemoved(d *crd.CRD, u *record.Upgrade) bool {
	o := &unstructured.Unstructured{}
	if o.UnmarshalJSON(d.Text) != nil {
		return true
	}
	_, unserves := o.GetAnnotations()[unservedAnnotation]
	return o.GetAnnotations()[upgradeAnnotation] == u.Name+"/"+string(record.Pruned) && !unserves
}

// last returns the installed CRD, and what it becomes without the versions that go. They stay in it
// unserved if keep is true. All else stays as it is: another package may have changed it since.
func (r *Run) last(ctx context.Context, k *record.Kind, keep bool) (*crd.CRD, *unstructured.Unstructured, error) {
	brought, err := r.brought(k)
	if err != nil {
		return nil, nil, err
	}
	d, err := crd.Get(ctx, r.CRDs, k.CRD)
	if err != nil {
		return nil, nil, err
	}
	installed := &unstructured.Unstructured{}
	if err := installed.UnmarshalJSON(d.Text); err != nil {
		return nil, nil, fmt.Errorf("read CRD: %w", err)
	}
	serveAgain(installed) // a run before this one may have been killed
	want := installed.DeepCopy()
	versions, err := without(versionsOf(want), brought, r.upgrade.Spec.Going(k), keep)
	if err != nil {
		return nil, nil, err
	}
	setVersions(want, versions)
	if keep {
		unserves(want, installed)
	}
	return d, want, nil
}

// without returns the versions of a CRD without those that go. A version that the package has
// without serving it becomes that of the package.
func without(versions []map[string]any, brought *unstructured.Unstructured, going []string, keep bool) ([]map[string]any, error) {
	has := map[any]map[string]any{}
	if brought != nil {
		for _, v := range versionsOf(brought) {
			has[v["name"]] = v
		}
	}
	var out []map[string]any
	for _, v := range versions {
		name, _ := v["name"].(string)
		switch of := has[name]; {
		case !slices.Contains(going, name):
			out = append(out, v)
		case v["storage"] == true:
			return nil, fmt.Errorf("it stores %s, which goes", name)
		case of["served"] == true:
			return nil, fmt.Errorf("the package serves %s, which goes: name the package that does not", name)
		case keep:
			v["served"] = false
			out = append(out, v)
		case of != nil:
			of["storage"] = false
			out = append(out, of)
		}
	}
	return out, nil
}

func (r *Run) each(do func(k *record.Kind) error) error {
	for i := range r.upgrade.Spec.Kinds {
		k := &r.upgrade.Spec.Kinds[i]
		if k.From == "" {
			continue
		}
		if err := do(k); err != nil {
			return fmt.Errorf("%s: %w", k.CRD, err)
		}
	}
	return nil
}

func pruneAll(ctx context.Context, r *Run) error {
	if err := heal(ctx, r); err != nil { // a controller may have made dependents since
		return err
	}
	return r.each(func(k *record.Kind) error {
		if err := r.shorten(ctx, k); err != nil {
			return err
		}
		return crd.Attempt(func() error {
			_, want, err := r.last(ctx, k, false)
			if err == nil {
				err = r.holds(ctx)
			}
			if err != nil {
				return err
			}
			_, err = r.CRDs.Resource(crd.Resource).Update(ctx, want, metav1.UpdateOptions{FieldManager: record.Manager})
			return err
		})
	})
}

// shorten removes all versions but the storage version from status.storedVersions. It writes under
// the resource version in which it has read the storage version. A CRD whose status changes in
// between is read again. One whose spec has changed since the evidence needs new evidence.
func (r *Run) shorten(ctx context.Context, k *record.Kind) error {
	return crd.Attempt(func() error {
		d, err := crd.Get(ctx, r.CRDs, k.CRD)
		if err != nil {
			return err
		}
		target := r.upgrade.Spec.Target(k)
		switch {
		case d.UID != k.UID, d.Hub() != target:
			return fmt.Errorf("it stores %s: another program has changed it", d.Hub())
		case slices.Equal(d.Stored, []string{target}):
			return nil
		}
		if err := r.isProved(k, d); err != nil {
			return err
		}
		if err := r.holds(ctx); err != nil {
			return err
		}
		return d.SetStored(ctx, r.CRDs, []string{target}, record.Manager)
	})
}

// isPruned checks that the CRDs have one stored version, and no version that goes but those which
// the package has.
func isPruned(ctx context.Context, r *Run) error {
	if err := isUnserved(ctx, r); err != nil {
		return err
	}
	return r.each(func(k *record.Kind) error {
		d, want, err := r.last(ctx, k, false)
		if err != nil {
			return err
		}
		switch {
		case !slices.Equal(d.Stored, []string{r.upgrade.Spec.Target(k)}):
			return fmt.Errorf("status.storedVersions is %v", d.Stored)
		case len(versionsOf(want)) != len(d.Versions):
			return errors.New("it has versions that go: another program has changed it")
		}
		return nil
	})
}
