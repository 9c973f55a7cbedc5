package served

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/model"
)

// Policy picks the versions of resources whose source does not state which are served.
type Policy config.ServePolicy

// Versions returns the versions that a run adds to those that clusters serve: those of which the
// source states it, and the hub's; else those that the policy picks.
func (p Policy) Versions(r *chain.Resource) []*chain.Version {
	if !IsStated(r) {
		return p.picked(r)
	}
	return slices.DeleteFunc(slices.Clone(r.Versions), func(v *chain.Version) bool { return !StatesServed(v) && v != r.Hub })
}

// IsStated reports whether the source states which versions are served.
func IsStated(r *chain.Resource) bool {
	return slices.ContainsFunc(r.Versions, func(v *chain.Version) bool { return v.Model.Facts.Get(model.Served) != "" })
}

// StatesServed reports whether the source states that a version is served.
func StatesServed(v *chain.Version) bool { return v.Model.Facts.Get(model.Served) == "true" }

// picked returns the versions that the policy picks, in order: the newest stable ones, the
// newest previews after the last stable one, and the hub's. For a resource that has only previews
// these are the newest of all.
func (p Policy) picked(r *chain.Resource) []*chain.Version {
	var out []*chain.Version
	stable, preview := 0, 0
	for _, v := range slices.Backward(r.Versions) {
		wanted := p.All || v == r.Hub
		switch {
		case !v.Preview:
			stable++
			wanted = wanted || stable <= p.Stable
		case stable == 0:
			preview++
			wanted = wanted || preview <= p.Preview
		}
		if wanted {
			out = append(out, v)
		}
	}
	slices.Reverse(out)
	return out
}

// IsCurrent reports whether the policy picks a version that is not a preview with a later stable
// version.
func (p Policy) IsCurrent(r *chain.Resource, v *chain.Version) bool {
	return slices.Contains(p.picked(r), v) && (!v.Preview || !slices.ContainsFunc(r.Versions[v.Index+1:], func(w *chain.Version) bool { return !w.Preview }))
}
