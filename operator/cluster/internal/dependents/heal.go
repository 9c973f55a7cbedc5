package dependents

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
)

// Manager is the name of the field manager of writes.
const Manager = "strata-cluster-heal"

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

// Heal replaces the versions that go in the owner references of all dependents. A second run writes
// nothing. wait bounds the rate of writes. Heal ends with an error only if the context ends, wait
// fails, or the cluster does not show what it serves.
func Heal(ctx context.Context, o Options, wait func(context.Context) error) (Healed, error) {
	var report Healed
	unread, err := Walk(ctx, o, func(d *Dependent) error {
		if err := wait(ctx); err != nil {
			return err
		}
		wrote, err := d.heal(ctx, o)
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

// heal writes the references of an object. After a write of another client it reads the object
// again. An object that has gone, or whose references stay, needs no write.
func (d *Dependent) heal(ctx context.Context, o Options) (wrote bool, err error) {
	var client metadata.ResourceInterface = o.Client.Resource(d.Resource)
	if d.Object.Namespace != "" {
		client = o.Client.Resource(d.Resource).Namespace(d.Object.Namespace)
	}
	m, healed := d.Object, d.Healed
	for range conflicts {
		_, err = client.Patch(ctx, m.Name, types.MergePatchType, patch(m, healed), metav1.PatchOptions{FieldManager: Manager})
		switch {
		case err == nil:
			return true, nil
		case apierrors.IsNotFound(err):
			return false, nil
		case !apierrors.IsConflict(err):
			return false, err
		}
		if m, err = client.Get(ctx, m.Name, metav1.GetOptions{}); err != nil {
			if apierrors.IsNotFound(err) {
				return false, nil
			}
			return false, err
		}
		var stale []Stale
		if stale, healed = heal(m.OwnerReferences, o.Owners); len(stale) == 0 {
			return false, nil
		}
	}
	return false, fmt.Errorf("%d writes in a row met writes of others: %w", conflicts, err)
}

// patch returns a merge patch with the references of an object. It fails if the object is another
// one, or was written since.
func patch(m *metav1.PartialObjectMetadata, references []metav1.OwnerReference) []byte {
	text, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": m.UID, "resourceVersion": m.ResourceVersion, "ownerReferences": references,
	}})
	if err != nil {
		panic(err) // these types have a JSON form
	}
	return text
}
