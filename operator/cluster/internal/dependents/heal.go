package dependents

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratakube/strata/operator/cluster/internal/fieldowner"
)

// Manager is the name of the field manager of writes. It owns no field afterwards.
const Manager = fieldowner.Healer

const (
	conflicts = 10 // with other writers of one object
	examples  = 20 // objects that a report names
)

// Healed counts the dependents by what became of them.
type Healed struct {
	// Written objects have references that name other versions than before.
	Written int `json:"written"`
	// Failed could not be written; Examples are some of them, with the reason.
	Failed   int      `json:"failed"`
	Examples []Failed `json:"examples,omitempty"`
	// Unread are resources whose objects were not read.
	Unread []Unread `json:"unread,omitempty"`
}

// Failed is an object that could not be written.
type Failed struct {
	Object string `json:"object"`
	Reason string `json:"reason"`
}

// Heal replaces the versions that go in the owner references of all dependents. The references stay
// with their owners, by a second write of each object. A second run writes nothing, and finishes
// objects between whose two writes the first was killed. wait bounds the rate of writes. Heal ends
// with an error only if the context ends, wait fails, or the cluster does not show what it serves.
func Heal(ctx context.Context, o Options, wait func(context.Context) error) (Healed, error) {
	var report Healed
	unread, err := Walk(ctx, o, func(d *Dependent) error {
		wrote, err := d.heal(ctx, o, wait)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			report.Failed++
			if len(report.Examples) < examples {
				report.Examples = append(report.Examples, Failed{d.Name(), Missing(err, "patch", d.Resource.GroupResource())})
			}
		case wrote:
			report.Written++
		}
		return nil
	})
	report.Unread = unread
	return report, err
}

// heal writes the references of an object, and then gives them back to their owners: an API server
// gives a field to who has changed it. After a write of another client it reads the object again.
// An object that has gone, or whose references stay, needs no write.
func (d *Dependent) heal(ctx context.Context, o Options, wait func(context.Context) error) (wrote bool, err error) {
	var client metadata.ResourceInterface = o.Client.Resource(d.Resource)
	if d.Object.Namespace != "" {
		client = o.Client.Resource(d.Resource).Namespace(d.Object.Namespace)
	}
	m := d.Object
	for range conflicts {
		done, next, err := step(ctx, client, m, o, wait)
		switch {
		case apierrors.IsNotFound(err):
			return wrote, nil
		case done && err == nil:
			return wrote, nil
		case err != nil && !apierrors.IsConflict(err):
			return wrote, err
		case err == nil:
			wrote, m = true, next
			continue
		}
		if m, err = client.Get(ctx, m.Name, metav1.GetOptions{}); err != nil {
			if apierrors.IsNotFound(err) {
				return wrote, nil
			}
			return wrote, err
		}
	}
	return wrote, fmt.Errorf("%d writes in a row met writes of others", conflicts)
}

// step does the next write that an object needs, and returns the object. It reports true if the
// object needs none.
func step(
	ctx context.Context, client metadata.ResourceInterface, m *metav1.PartialObjectMetadata, o Options, wait func(context.Context) error,
) (done bool, next *metav1.PartialObjectMetadata, err error) {
	owners, recorded, err := fieldowner.Restore(m)
	if err != nil {
		return false, nil, err
	}
	stale, healed := heal(m.OwnerReferences, o.Owners)
	var change map[string]any
	switch {
	case recorded:
		change = map[string]any{"managedFields": owners, "annotations": map[string]any{fieldowner.Annotation: nil}}
	case len(stale) == 0:
		return true, m, nil
	default:
		record, err := fieldowner.Record(m.ManagedFields, replaced(m.OwnerReferences, healed))
		if err != nil {
			return false, nil, err
		}
		change = map[string]any{"ownerReferences": healed, "annotations": map[string]any{fieldowner.Annotation: record}}
	}
	if err := wait(ctx); err != nil {
		return false, nil, err
	}
	next, err = client.Patch(ctx, m.Name, types.MergePatchType, fieldowner.Patch(m, change), metav1.PatchOptions{FieldManager: Manager})
	if err == nil && recorded && !fieldowner.Same(owners, next.ManagedFields) {
		err = errors.New("the API server has not stored the owners of its references: an entry of metadata.managedFields has a version that it cannot convert")
	}
	return false, next, err
}

// replaced returns the paths of the references that other ones replace.
func replaced(before, after []metav1.OwnerReference) *fieldpath.Set {
	out := fieldpath.NewSet()
	for _, r := range before {
		if !slices.ContainsFunc(after, func(other metav1.OwnerReference) bool { return same(r, other) }) {
			out.Insert(fieldpath.MakePathOrDie("metadata", "ownerReferences", fieldpath.KeyByFields("uid", string(r.UID))))
		}
	}
	return out
}
