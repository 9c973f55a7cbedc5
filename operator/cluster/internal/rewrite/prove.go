package rewrite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/stratakube/strata/operator/cluster/internal/fieldowner"
)

// Seen is what a list of all objects of a kind shows.
type Seen struct {
	Objects int `json:"objects"`
	// Past objects were written after the marker, Unchanged ones were not. A write after the marker
	// left those as they were, so that they were stored in the storage version already.
	Past      int `json:"past"`
	Unchanged int `json:"unchanged"`
	// ResourceVersion is that of the list's first page.
	ResourceVersion string `json:"resourceVersion"`
}

// errWritten ends a run whose evidence does not hold.
var errWritten = errors.New("an object was stored in another version although the list before has shown none: an API server stores objects in another version")

// Prove shows that all objects of a kind are stored in the storage version. Marker is a resource
// version that is later than the last write in another version. The API server reads two lists from
// etcd. An object that was written after the marker is stored in the storage version. Any other one
// gets a write without a change: the API server writes only if the bytes in etcd are different, so
// that the resource version of the answer is evidence. With owners, the same holds for objects
// whose owners name versions that go.
func Prove(ctx context.Context, o Options, marker string, owners bool) ([]Seen, Report, error) {
	var lists []Seen
	for {
		r := &run{Options: o}
		r.marked(marker, owners)
		if err := r.all(ctx); err != nil {
			return lists, r.report, err
		}
		lists = append(lists, Seen{
			Objects: r.report.Objects + r.skipped, Past: r.skipped + r.report.Written, Unchanged: r.report.Unchanged, ResourceVersion: r.listed,
		})
		switch {
		case r.report.Poison.Objects > 0:
			return lists, r.report, nil
		case len(lists) == 2 && r.stale > 0:
			return lists, r.report, errWritten
		case len(lists) == 2:
			return lists, r.report, nil
		}
	}
}

// marked makes a run skip objects that were written after a marker: they are stored in the storage
// version. With owners, an object whose owners name a version that goes is not skipped.
func (r *run) marked(marker string, owners bool) {
	r.isPast = func(m *metav1.PartialObjectMetadata) (bool, error) {
		order, err := resourceversion.CompareResourceVersion(m.ResourceVersion, marker)
		if err != nil {
			return false, fmt.Errorf("compare resource versions: %w", err)
		}
		return order > 0, nil
	}
	r.skips = func(m *metav1.PartialObjectMetadata) (bool, error) {
		past, err := r.isPast(m)
		return past && (!owners || !r.Owners.named(m)), err
	}
}

// named reports whether an entry of an object names a version that goes, or the annotation of
// kubectl does, or owners are left to restore.
func (o Owners) named(m *metav1.PartialObjectMetadata) bool {
	if _, recorded := m.Annotations[fieldowner.Annotation]; recorded || o.isApplied(m) {
		return true
	}
	for i := range m.ManagedFields {
		group, version, ok := strings.Cut(m.ManagedFields[i].APIVersion, "/")
		if ok && group == o.Group && o.Target(version) != version {
			return true
		}
	}
	return false
}

// Marker returns a resource version that is later than all writes before the call.
func Marker(ctx context.Context, o Options) (string, error) {
	r := &run{Options: o}
	list, err := r.page(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return "", err
	}
	return list.ResourceVersion, nil
}
