package engine

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/config"
)

// policy decides which versions a run adds to those that clusters serve. The ledger lists the
// versions that have been served.
type policy config.ServePolicy

// versions returns the versions that the policy serves, in order: the newest stable ones, the
// newest previews after the last stable one, and the hub's. For a resource that has only previews
// these are the newest of all.
func (p policy) versions(r *chain.Resource) []*chain.Version {
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

// isCurrent reports whether the policy serves a version that is not a preview with a later stable
// version.
func (p policy) isCurrent(r *chain.Resource, v *chain.Version) bool {
	return slices.Contains(p.versions(r), v) && (!v.Preview || !slices.ContainsFunc(r.Versions[v.Index+1:], func(w *chain.Version) bool { return !w.Preview }))
}
