package engine

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/served"
)

// served lists the labels of the versions that the run adds to those served.
func (ch Chain) served(r *chain.Resource) []string {
	var out []string
	for _, v := range ch.toServe(r) {
		if ch.unserves(r, v) == nil {
			out = append(out, v.Label)
		}
	}
	return out
}

// unserves returns the entry of versions.unserve for a version, or nil.
func (run *Run) unserves(r *chain.Resource, v *chain.Version) *config.Label {
	for i, l := range run.config.Versions.Unserve {
		if l.Is(r.Group.Folder, v.Model.Name) {
			return &run.config.Versions.Unserve[i]
		}
	}
	return nil
}

// serving returns how clusters serve a version. The ledger records which versions have been
// served; the configuration unserves versions.
func (ch Chain) serving(r *chain.Resource, v *chain.Version) plan.Serving {
	switch {
	case served.IsStated(r) && v != r.Hub && ch.unserves(r, v) == nil && !served.StatesServed(v):
		return plan.Unserved
	case !slices.Contains(ch.Next.Find(r.Model.Type).Served, v.Label):
		return plan.Unlisted
	case ch.unserves(r, v) != nil:
		return plan.Unserved
	case served.IsStated(r) || served.Policy(ch.config.Versions.Serve).IsCurrent(r, v):
		return plan.Current
	}
	return plan.Outdated
}

// checkUnserving reports versions that cannot be unserved, and entries that have nothing to
// unserve.
func (ch Chain) checkUnserving() {
	used, names := map[config.Label]bool{}, map[string]bool{}
	for _, g := range ch.chain.Groups {
		for _, r := range g.Resources {
			for _, v := range r.Versions {
				names[v.Model.Name], names[g.Folder+"/"+v.Model.Name] = true, true
				if l := ch.unserves(r, v); l != nil {
					ch.checkUnserved(r, v, *l)
					used[*l] = used[*l] || !v.Pruned && ch.wouldServe(r, v)
				}
			}
		}
	}
	for _, l := range ch.config.Versions.Unserve {
		switch {
		case !ch.Only.IsZero() || used[l]:
		case slices.ContainsFunc(ch.config.Versions.Prune, func(p config.Label) bool { return p.Version == l.Version && (p.Group == "" || p.Group == l.Group) }):
			ch.Messages.Add(diag.Errorf(l.Pos, "%s is pruned, and so not served", l).WithHint("remove it from versions.unserve, or from versions.prune"))
		case names[l.String()]:
			ch.Messages.Add(diag.Errorf(l.Pos, "%s is not served", l).WithHint("remove it: versions.unserve is for what has been served, or would be"))
		default:
			ch.Messages.Add(nearest(diag.Errorf(l.Pos, "there is no version %s to unserve", l), l.String(), sortedKeys(names), "strata show prints the versions that there are"))
		}
	}
}

// checkUnserved reports the contradictions to unserving a version.
func (ch Chain) checkUnserved(r *chain.Resource, v *chain.Version, l config.Label) {
	if v == r.Hub {
		ch.Messages.Add(diag.Errorf(l.Pos, "%s cannot be unserved: it is the hub of %s", v.Model.Name, r.Model.Type).
			WithHint("clients need one version that shows all; unserve versions before it"))
	}
}

// wouldServe reports whether a version has been served, or would be without versions.unserve.
func (src Sources) wouldServe(r *chain.Resource, v *chain.Version) bool {
	if e := src.Ledger.Find(r.Model.Type); e != nil && slices.Contains(e.Served, v.Label) {
		return true
	}
	return slices.Contains(src.toServe(r), v)
}

// toServe returns the versions that the policy adds to those served.
func (run *Run) toServe(r *chain.Resource) []*chain.Version {
	return served.Policy(run.config.Versions.Serve).Versions(r)
}
