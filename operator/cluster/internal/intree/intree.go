// Package intree lets Kubernetes' own migrator store objects anew: the controller that works on
// StorageVersionMigrations. Package cli calls it.
package intree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

var migrations = schema.GroupVersionResource{Group: "storagemigration.k8s.io", Version: "v1", Resource: "storageversionmigrations"}

// The conditions of a StorageVersionMigration.
const (
	running   = "Running"
	succeeded = "Succeeded"
	failed    = "Failed"
)

const conflicts = 10

// Options configure a migration.
type Options struct {
	Client dynamic.Interface
	// Name is that of the StorageVersionMigration. A later migration of the kind has another name.
	Name string
	// Stored are versions that status.storedVersions of the CRD has afterwards, if the CRD has them.
	Stored []string
	// Manager is the name of the field manager of writes.
	Manager string
	Poll    time.Duration
	// Patience is how long the migrator may not begin.
	Patience time.Duration
	// Progress gets the migrator's message when it changes.
	Progress func(message string)
}

// migration has the members of a StorageVersionMigration that this package reads.
type migration struct {
	Status struct {
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

// Migrate asks Kubernetes to store all objects of a kind in the storage version, and waits until it
// has. One that has failed is asked for again. The migrator shortens status.storedVersions of the
// CRD, even if it has failed. So Migrate writes back the versions that may still be stored: other
// evidence shortens them.
func Migrate(ctx context.Context, d *crd.CRD, o Options) error {
	m, err := o.ask(ctx, d)
	if err != nil {
		return err
	}
	if meta.IsStatusConditionTrue(m.Status.Conditions, failed) {
		if err := o.Client.Resource(migrations).Delete(ctx, o.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete StorageVersionMigration: %w", err)
		}
		if m, err = o.ask(ctx, d); err != nil {
			return err
		}
	}
	err = o.await(ctx, m)
	if restoreErr := o.restore(ctx, d); err == nil {
		err = restoreErr
	}
	return err
}

// ask creates the StorageVersionMigration, or returns the one that there is.
func (o *Options) ask(ctx context.Context, d *crd.CRD) (*migration, error) {
	object, err := o.Client.Resource(migrations).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": migrations.GroupVersion().String(), "kind": "StorageVersionMigration", "metadata": map[string]any{"name": o.Name},
		"spec": map[string]any{"resource": map[string]any{"group": d.Group, "resource": d.Plural}},
	}}, metav1.CreateOptions{FieldManager: o.Manager})
	switch {
	case apierrors.IsAlreadyExists(err):
		return o.read(ctx)
	case apierrors.IsNotFound(err):
		return nil, errors.New("the cluster does not serve storagemigration.k8s.io/v1, which Kubernetes 1.37 does: run the command without --with in-tree")
	case err != nil:
		return nil, fmt.Errorf("create StorageVersionMigration: %w", err)
	}
	return parse(object)
}

func (o *Options) read(ctx context.Context) (*migration, error) {
	object, err := o.Client.Resource(migrations).Get(ctx, o.Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read StorageVersionMigration: %w", err)
	}
	return parse(object)
}

func parse(object *unstructured.Unstructured) (*migration, error) {
	m := &migration{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, m); err != nil {
		return nil, fmt.Errorf("read StorageVersionMigration: %w", err)
	}
	return m, nil
}

// await waits until the migrator has ended, and has changed the CRD.
func (o *Options) await(ctx context.Context, m *migration) (err error) {
	last, began := "", time.Now()
	for {
		is := func(condition string) bool { return meta.IsStatusConditionTrue(m.Status.Conditions, condition) }
		if c := meta.FindStatusCondition(m.Status.Conditions, running); c != nil && c.Message != last {
			last = c.Message
			o.Progress(last)
		}
		switch {
		case is(running): // also after the end, until the migrator has changed the CRD
		case is(succeeded):
			return nil
		case is(failed):
			return fmt.Errorf("the migrator of Kubernetes has failed: %s\nrun the command without --with in-tree: it names each object that cannot be written, and writes the others",
				meta.FindStatusCondition(m.Status.Conditions, failed).Message)
		case time.Since(began) > o.Patience:
			return fmt.Errorf("no migrator has begun to work on StorageVersionMigration %s for %s: kube-controller-manager needs its controller storage-version-migrator-controller; or run the command without --with in-tree", o.Name, o.Patience)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(o.Poll):
		}
		if m, err = o.read(ctx); err != nil {
			return err
		}
	}
}

// restore adds versions to status.storedVersions of a CRD.
func (o *Options) restore(ctx context.Context, before *crd.CRD) error {
	for range conflicts {
		now, err := crd.Get(ctx, o.Client, before.Name())
		if err != nil {
			return err
		}
		stored := slices.Clone(now.Stored)
		for _, v := range append(slices.Clone(before.Stored), o.Stored...) {
			if !slices.Contains(stored, v) && slices.ContainsFunc(now.Versions, func(of crd.Version) bool { return of.Name == v }) {
				stored = append(stored, v)
			}
		}
		if len(stored) == len(now.Stored) {
			return nil
		}
		if err := now.SetStored(ctx, o.Client, stored, o.Manager); !apierrors.IsConflict(err) {
			return err
		}
	}
	return errors.New("others write the CRD all the time")
}
