package engine

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// served lists the labels of the versions that the run adds to those served.
func (b *build) served(r *chain.Resource) []string {
	var out []string
	for _, v := range b.toServe(r) {
		if b.unserves(r, v) == nil {
			out = append(out, v.Label)
		}
	}
	return out
}

// unserves finds what the configuration says of unserving a version, nil for
// nothing.
func (b *build) unserves(r *chain.Resource, v *chain.Version) *config.Label {
	for i, l := range b.config.Versions.Unserve {
		if l.Is(r.Group.Folder, v.Model.Name) {
			return &b.config.Versions.Unserve[i]
		}
	}
	return nil
}

// serving tells what clusters do with a version: the ledger knows what has been
// served, the configuration what is so no longer.
func (b *build) serving(r *chain.Resource, v *chain.Version) plan.Serving {
	switch {
	case states(r) && v != r.Hub && b.unserves(r, v) == nil && !statesServed(v):
		return plan.Unserved
	case !slices.Contains(b.next.Find(r.Model.Type).Served, v.Label):
		return plan.Unlisted
	case b.unserves(r, v) != nil:
		return plan.Unserved
	case states(r) || b.config.Versions.Serve.IsCurrent(r, v):
		return plan.Current
	}
	return plan.Outdated
}

// checkUnserving reports versions that cannot be unserved, and those of which there
// is nothing to unserve.
func (b *build) checkUnserving(c *chain.Chain) {
	used, names := map[config.Label]bool{}, map[string]bool{}
	for _, g := range c.Groups {
		for _, r := range g.Resources {
			for _, v := range r.Versions {
				names[v.Model.Name], names[g.Folder+"/"+v.Model.Name] = true, true
				if l := b.unserves(r, v); l != nil {
					b.checkUnserved(r, v, *l)
					used[*l] = used[*l] || !v.Pruned && b.wouldServe(r, v)
				}
			}
		}
	}
	for _, l := range b.config.Versions.Unserve {
		switch {
		case !b.Only.IsZero() || used[l]:
		case slices.ContainsFunc(b.config.Versions.Prune, func(p config.Label) bool { return p.Version == l.Version && (p.Group == "" || p.Group == l.Group) }):
			b.Messages.Add(diag.Errorf(l.Pos, "%s is pruned, and so not served", l).WithHint("remove it from versions.unserve, or from versions.prune"))
		case names[l.String()]:
			b.Messages.Add(diag.Errorf(l.Pos, "%s is not served", l).WithHint("remove it: versions.unserve is for what has been served, or would be"))
		default:
			b.Messages.Add(nearest(diag.Errorf(l.Pos, "there is no version %s to unserve", l), l.String(), sortedKeys(names), "strata show prints the versions that there are"))
		}
	}
}

// checkUnserved reports what contradicts unserving a version.
func (b *build) checkUnserved(r *chain.Resource, v *chain.Version, l config.Label) {
	if v == r.Hub {
		b.Messages.Add(diag.Errorf(l.Pos, "%s cannot be unserved: it is the hub of %s", v.Model.Name, r.Model.Type).
			WithHint("clients need one version that shows all; unserve versions before it"))
	}
}

// wouldServe tells whether a version has been served, or would be.
func (b *build) wouldServe(r *chain.Resource, v *chain.Version) bool {
	if e := b.old.Find(r.Model.Type); e != nil && slices.Contains(e.Served, v.Label) {
		return true
	}
	return slices.Contains(b.toServe(r), v)
}

// toServe are the versions that are to be served: those of which the source says so,
// and the hub's; else what the policy picks.
func (b *build) toServe(r *chain.Resource) []*chain.Version {
	if !states(r) {
		return b.config.Versions.Serve.Versions(r)
	}
	return slices.DeleteFunc(slices.Clone(r.Versions), func(v *chain.Version) bool { return !statesServed(v) && v != r.Hub })
}

// states tells whether the source states which versions are served.
func states(r *chain.Resource) bool {
	return slices.ContainsFunc(r.Versions, func(v *chain.Version) bool { return v.Model.Facts.Get(model.Served) != "" })
}

func statesServed(v *chain.Version) bool { return v.Model.Facts.Get(model.Served) == "true" }
