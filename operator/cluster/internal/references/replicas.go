package references

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/dependents"
	"github.com/stratakube/strata/operator/cluster/internal/replicas"
)

// replicas finds replicas of the webhook that do not convert a version of a kind.
func (f *finder) replicas(ctx context.Context) error {
	found := map[crd.Service][]replicas.Replica{}
	answers := map[string]*converter.Versions{}
	for i := range f.Kinds {
		k := &f.Kinds[i]
		if !k.From.Strata || !k.From.Converts && len(f.Replicas.URLs) == 0 {
			continue
		}
		var at crd.Service
		if k.From.Webhook != nil {
			at = *k.From.Webhook
		}
		all, known := found[at]
		if !known {
			all = f.find(ctx, k)
			found[at] = all
		}
		for _, r := range all {
			if _, known := answers[r.Name]; !known {
				answers[r.Name] = f.ask(ctx, &r)
			}
			if of := answers[r.Name]; of != nil {
				f.replica(k, r.Name, of)
			}
		}
	}
	return nil
}

// find returns the replicas of the webhook of a kind.
func (f *finder) find(ctx context.Context, k *Kind) []replicas.Replica {
	o := f.Replicas
	o.Client, o.Raw = f.Objects, f.Server.Raw
	all, err := replicas.Find(ctx, k.From.Webhook, o)
	if err != nil {
		f.notChecked("replicas of the webhook of "+k.From.Name(), dependents.Missing(err, "list", schema.GroupResource{Group: "discovery.k8s.io", Resource: "endpointslices"}))
	}
	return all
}

// replica compares what a replica converts with a kind.
func (f *finder) replica(k *Kind, name string, of *converter.Versions) {
	versions := of.Of(k.To.Group, k.To.Kind)
	for _, v := range k.To.Versions {
		if !slices.Contains(versions, v.Name) {
			f.add(k, Replica, v.Name, name, "", "this replica of the webhook does not convert the version: deploy the webhook of the package before its CRDs")
		}
	}
}

// ask returns what a replica converts, or nil if it does not answer.
func (f *finder) ask(ctx context.Context, r *replicas.Replica) *converter.Versions {
	of, err := r.Ask(ctx)
	if err != nil {
		f.notChecked("the webhook in "+r.Name, dependents.Missing(err, "get", schema.GroupResource{Resource: "pods/proxy"}))
	}
	return of
}
