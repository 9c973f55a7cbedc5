package dependents

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"

	"github.com/stratakube/strata/operator/cluster/internal/fieldowner"
	"github.com/stratakube/strata/operator/cluster/internal/pages"
)

const (
	pageSize = 250
	workers  = 4 // resources that are listed at the same time
)

// Server returns what a cluster serves, like a discovery client.
type Server interface {
	ServerPreferredResourcesWithContext(ctx context.Context) ([]*metav1.APIResourceList, error)
}

// Owner is a kind whose objects own others.
type Owner struct {
	Group, Kind string
	// Target returns the version that a reference gets; it is the same version if the reference
	// stays.
	Target func(version string) string
}

// Options configure a walk over the dependents of a cluster.
type Options struct {
	Server Server
	Client metadata.Interface
	Owners []Owner
}

// Dependent is an object with references to versions that go.
type Dependent struct {
	Resource schema.GroupVersionResource
	Object   *metav1.PartialObjectMetadata
	// Stale are the references to versions that go. There are none if only the owners of references
	// are left to restore.
	Stale []Stale
}

// Name returns the resource, the namespace and the name of an object.
func (d *Dependent) Name() string {
	name := d.Object.Name
	if d.Object.Namespace != "" {
		name = d.Object.Namespace + "/" + name
	}
	return d.Resource.GroupResource().String() + " " + name
}

// Stale is a reference to a version that goes.
type Stale struct {
	Owner   Owner
	Version string
}

// Unread is a resource whose objects could not be read.
type Unread struct {
	Resource string `json:"resource"`
	Reason   string `json:"reason"`
}

// Walk calls visit for each object that has a reference to a version which goes, one after the
// other. It reads the resources that the garbage collector reads: those that can be listed, watched
// and deleted, but no events. It returns what it could not read.
func Walk(ctx context.Context, o Options, visit func(*Dependent) error) ([]Unread, error) {
	resources, unread, err := listable(ctx, o.Server)
	if err != nil {
		return nil, err
	}
	w := &walk{Options: o, visit: visit, unread: unread}
	next := make(chan schema.GroupVersionResource)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for r := range next {
				if err := w.resource(ctx, r); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, r := range resources {
		next <- r
	}
	close(next)
	group.Wait()
	slices.SortFunc(w.unread, func(a, b Unread) int { return strings.Compare(a.Resource, b.Resource) })
	return w.unread, context.Cause(ctx)
}

type walk struct {
	Options
	lock   sync.Mutex
	visit  func(*Dependent) error
	unread []Unread
}

// resource reads the objects of a resource. What cannot be read is recorded, and no error.
func (w *walk) resource(ctx context.Context, r schema.GroupVersionResource) error {
	if ctx.Err() != nil {
		return nil
	}
	var failed error
	err := pages.Each(ctx, metav1.ListOptions{Limit: pageSize}, w.Client.Resource(r).List, func(list *metav1.PartialObjectMetadataList, _ metav1.ListOptions) error {
		for i := range list.Items {
			d := w.of(r, &list.Items[i])
			if d == nil {
				continue
			}
			w.lock.Lock()
			failed = w.visit(d)
			w.lock.Unlock()
			if failed != nil {
				return failed
			}
		}
		return nil
	})
	switch {
	case failed != nil:
		return failed
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err): // it has gone since, or shows no metadata
		return nil
	case err != nil:
		w.lock.Lock()
		defer w.lock.Unlock()
		w.unread = append(w.unread, Unread{r.GroupResource().String(), Missing(err, "list", r.GroupResource())})
	}
	return nil
}

// of returns an object as a dependent, or nil if no reference of it goes and each has its owners.
func (w *walk) of(r schema.GroupVersionResource, m *metav1.PartialObjectMetadata) *Dependent {
	stale, _ := heal(m.OwnerReferences, w.Owners)
	if _, recorded := m.Annotations[fieldowner.Annotation]; len(stale) == 0 && !recorded {
		return nil
	}
	return &Dependent{Resource: r, Object: m, Stale: stale}
}

// heal returns the references that name versions which go, and all references after they are
// replaced. References that become equal are one.
func heal(references []metav1.OwnerReference, owners []Owner) (stale []Stale, healed []metav1.OwnerReference) {
	for _, r := range references {
		group, version, hasGroup := strings.Cut(r.APIVersion, "/")
		i := slices.IndexFunc(owners, func(o Owner) bool { return hasGroup && o.Group == group && o.Kind == r.Kind })
		if i >= 0 {
			if to := owners[i].Target(version); to != version {
				stale = append(stale, Stale{owners[i], version})
				r.APIVersion = group + "/" + to
			}
		}
		if !slices.ContainsFunc(healed, func(other metav1.OwnerReference) bool { return same(r, other) }) {
			healed = append(healed, r)
		}
	}
	return stale, healed
}

func same(a, b metav1.OwnerReference) bool {
	return a.APIVersion == b.APIVersion && a.Kind == b.Kind && a.Name == b.Name && a.UID == b.UID &&
		is(a.Controller) == is(b.Controller) && is(a.BlockOwnerDeletion) == is(b.BlockOwnerDeletion)
}

func is(set *bool) bool { return set != nil && *set }

// Missing returns why something was not read. It names the right that the user lacks.
func Missing(err error, verb string, of schema.GroupResource) string {
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) {
		return "the user lacks the right to " + verb + " " + of.String()
	}
	const limit = 300
	text := err.Error()
	return text[:min(len(text), limit)]
}

// listable returns the resources that the garbage collector reads, and the groups that do not
// answer.
func listable(ctx context.Context, s Server) ([]schema.GroupVersionResource, []Unread, error) {
	lists, err := s.ServerPreferredResourcesWithContext(ctx)
	var unread []Unread
	var failed *discovery.ErrGroupDiscoveryFailed
	switch {
	case errors.As(err, &failed):
		for version, err := range failed.Groups {
			unread = append(unread, Unread{version.String(), Missing(err, "get", schema.GroupResource{Group: version.Group})})
		}
	case err != nil:
		return nil, nil, fmt.Errorf("ask what the cluster serves: %w", err)
	}
	lists = discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"delete", "list", "watch"}}, lists)
	all, err := discovery.GroupVersionResources(lists)
	if err != nil {
		return nil, nil, fmt.Errorf("ask what the cluster serves: %w", err)
	}
	var out []schema.GroupVersionResource
	for r := range maps.Keys(all) {
		if r.Resource != "events" || r.Group != "" && r.Group != "events.k8s.io" {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b schema.GroupVersionResource) int { return strings.Compare(a.String(), b.String()) })
	return out, unread, nil
}
