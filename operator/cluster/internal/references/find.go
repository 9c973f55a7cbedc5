package references

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/dependents"
	"github.com/stratakube/strata/operator/cluster/internal/pages"
	"github.com/stratakube/strata/operator/cluster/internal/replicas"
)

// The reasons of uses.
const (
	// OwnerReference: the owner references of another object name a version.
	OwnerReference = "OwnerReference"
	// HelmRelease: the stored manifest of a Helm release has a version.
	HelmRelease = "HelmRelease"
	// FluxInventory: the inventory of a Flux object has a version.
	FluxInventory = "FluxInventory"
	// ArgoApplication: the status of an application of Argo CD has a version.
	ArgoApplication = "ArgoApplication"
	// Policy: a policy or a webhook of admission no longer sees requests, or not those of a version.
	Policy = "Policy"
	// ScaleTarget: an autoscaler names a version.
	ScaleTarget = "ScaleTarget"
	// Requested: clients have used a deprecated version.
	Requested = "Requested"
	// Replica: a replica of the webhook does not convert a version.
	Replica = "Replica"
)

// Reasons are all reasons of uses.
var Reasons = []string{OwnerReference, HelmRelease, FluxInventory, ArgoApplication, Policy, ScaleTarget, Requested, Replica}

// Kind is a kind whose versions change.
type Kind struct {
	// From is the installed CRD, To that of the package.
	From, To *crd.CRD
}

// goes reports whether API servers no longer serve a version.
func (k *Kind) goes(version string) bool { return !k.To.Serves(version) }

// added returns the served versions that come.
func (k *Kind) added() (out []string) {
	for _, v := range k.To.Versions {
		if v.Served && !v.Storage && !v.Former && !k.From.Serves(v.Name) {
			out = append(out, v.Name)
		}
	}
	return out
}

// Use is a count of those who name a version, with an example.
type Use struct {
	CRD, Reason, Version string
	Count                int
	Example, Path        string
	Message              string
	// Note reports that the upgrade itself resolves it, or that it may say nothing.
	Note bool
}

// Unchecked is something that could not be read.
type Unchecked struct {
	What   string `json:"what"`
	Reason string `json:"reason"`
}

// Server returns what a cluster serves, and answers raw requests, like a discovery client.
type Server interface {
	dependents.Server
	// Raw answers a GET of a path. The caller closes the answer.
	Raw(ctx context.Context, path string) (io.ReadCloser, error)
}

// Options are what Find reads.
type Options struct {
	Server   Server
	Objects  dynamic.Interface
	Metadata metadata.Interface
	Kinds    []Kind
	// Replicas has the addresses and the port of replicas of the webhook. Without addresses, Find
	// asks the pods of the service that the CRDs name.
	Replicas replicas.Options
}

// Find returns who names versions that go, and what it could not read. The order does not depend on
// the order in which the API server answers.
func Find(ctx context.Context, o Options) ([]Use, []Unchecked, error) {
	f := &finder{Options: o, found: map[[3]string]int{}}
	for i := range o.Kinds {
		f.names = append(f.names, crd.NewNames(o.Kinds[i].From, o.Kinds[i].To))
	}
	if len(o.Kinds) == 0 {
		return nil, nil, nil
	}
	if err := f.discover(ctx); err != nil {
		return nil, nil, err
	}
	// The metric comes first: the plan itself is a client of deprecated versions.
	for _, find := range []func(context.Context) error{f.requested, f.owners, f.helm, f.flux, f.argo, f.policies, f.targets, f.replicas} {
		if err := find(ctx); err != nil {
			return nil, nil, err
		}
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
	}
	for i := range f.uses {
		u := &f.uses[i]
		k := slices.IndexFunc(f.Kinds, func(k Kind) bool { return k.To.Name() == u.CRD })
		// The package brings the webhook of a new version. Plans are clients of versions, too.
		u.Note = u.Reason == Requested || u.Reason == Replica && !f.Kinds[k].From.Has(u.Version)
	}
	slices.SortStableFunc(f.uses, func(a, b Use) int {
		return slices.Compare([]string{a.CRD, a.Reason, a.Version}, []string{b.CRD, b.Reason, b.Version})
	})
	slices.SortStableFunc(f.unchecked, func(a, b Unchecked) int {
		return slices.Compare([]string{a.What, a.Reason}, []string{b.What, b.Reason})
	})
	return f.uses, f.unchecked, nil
}

type finder struct {
	Options
	names     []*crd.Names
	served    map[schema.GroupResource]schema.GroupVersionResource
	uses      []Use
	found     map[[3]string]int
	unchecked []Unchecked
}

// discover reads which resources the cluster serves. Groups that do not answer are named.
func (f *finder) discover(ctx context.Context) error {
	lists, err := f.Server.ServerPreferredResourcesWithContext(ctx)
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return fmt.Errorf("ask what the cluster serves: %w", err)
	}
	f.served = map[schema.GroupResource]schema.GroupVersionResource{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue // nobody can ask for it
		}
		for i := range list.APIResources {
			if r := version.WithResource(list.APIResources[i].Name); f.served[r.GroupResource()].Resource == "" {
				f.served[r.GroupResource()] = r
			}
		}
	}
	return nil
}

// kind returns the kind of an object that has this group and kind.
func (f *finder) kind(group, kind string) (int, bool) {
	i := slices.IndexFunc(f.Kinds, func(k Kind) bool { return k.To.Group == group && k.To.Kind == kind })
	return i, i >= 0
}

// use records that something names a version of a kind, if that goes.
func (f *finder) use(reason, group, kind, version, example, path, message string, seen map[[2]string]bool) {
	i, known := f.kind(group, kind)
	if !known || !f.Kinds[i].goes(version) {
		return
	}
	name := f.names[i].Of(version)
	key := [2]string{f.Kinds[i].To.Name(), name}
	if seen[key] {
		return
	}
	if seen != nil {
		seen[key] = true
	}
	f.add(&f.Kinds[i], reason, name, example, path, message)
}

// add counts a use.
func (f *finder) add(k *Kind, reason, version, example, path, message string) {
	key := [3]string{k.To.Name(), reason, version}
	at, known := f.found[key]
	if !known {
		at = len(f.uses)
		f.found[key] = at
		f.uses = append(f.uses, Use{CRD: key[0], Reason: reason, Version: version, Example: example, Path: path, Message: message})
	}
	f.uses[at].Count++
}

// notChecked records what was not read.
func (f *finder) notChecked(what, reason string) {
	if u := (Unchecked{what, reason}); !slices.Contains(f.unchecked, u) && len(f.unchecked) < maxUnchecked {
		f.unchecked = append(f.unchecked, u)
	}
}

// maxUnchecked is how many reasons a report has.
const maxUnchecked = 500

// list calls visit for each object of a resource. A resource that the cluster does not serve has
// none. What the user may not read is recorded.
func (f *finder) list(ctx context.Context, what string, of schema.GroupResource, options metav1.ListOptions, visit func(*unstructured.Unstructured)) error {
	r := f.served[of]
	if r.Resource == "" {
		return nil
	}
	err := pages.Each(ctx, options, f.Objects.Resource(r).List, func(list *unstructured.UnstructuredList, _ metav1.ListOptions) error {
		for i := range list.Items {
			visit(&list.Items[i])
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case apierrors.IsNotFound(err): // it has gone since
		return nil
	case err != nil:
		f.notChecked(what, dependents.Missing(err, "list", of))
	}
	return nil
}

// owners finds owner references of dependents.
func (f *finder) owners(ctx context.Context) error {
	var owners []dependents.Owner
	for i := range f.Kinds {
		k := &f.Kinds[i]
		owners = append(owners, dependents.Owner{Group: k.To.Group, Kind: k.To.Kind, Target: func(version string) string { return k.To.Successor(version, nil) }})
	}
	unread, err := dependents.Walk(ctx, dependents.Options{Server: f.Server, Client: f.Metadata, Owners: owners}, func(d *dependents.Dependent) error {
		seen := map[[2]string]bool{}
		for _, s := range d.Stale {
			f.use(OwnerReference, s.Owner.Group, s.Owner.Kind, s.Version, d.Name(), "metadata.ownerReferences",
				"the garbage collector looks for owners in this version: heal the references with strata cluster migrate --dependents", seen)
		}
		return nil
	})
	for _, u := range unread {
		f.notChecked("owner references of "+u.Resource, u.Reason)
	}
	return err
}

// nameOf returns the namespace and the name of an object.
func nameOf(o *unstructured.Unstructured) string {
	if o.GetNamespace() == "" {
		return o.GetName()
	}
	return o.GetNamespace() + "/" + o.GetName()
}

// cut splits an apiVersion.
func cut(apiVersion string) (group, version string) {
	group, version, found := strings.Cut(apiVersion, "/")
	if !found {
		return "", group
	}
	return group, version
}

// errTooLong ends the reading of an answer.
var errTooLong = errors.New("it is too long")
