package serve

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
)

// Policy says how many of the newest versions are served.
type Policy struct {
	Stable, Preview int
	All             bool // every version, whatever the counts
}

// Default is the policy of who names none. Every write costs a conversion for
// each version that is served, and a definition of more versions can be too large
// for a cluster.
var Default = Policy{Stable: 3, Preview: 1}

// Versions are those that the policy serves, in order: the newest stable ones, the
// newest previews later than the last stable one (of resources that have only
// previews: of all), and the hub's.
func (p Policy) Versions(r *chain.Resource) []*chain.Version {
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

// IsCurrent tells whether a version that is served is not out of date: the policy
// would serve it, and it is no preview with a later stable version.
func (p Policy) IsCurrent(r *chain.Resource, v *chain.Version) bool {
	return slices.Contains(p.Versions(r), v) && (!v.Preview || !slices.ContainsFunc(r.Versions[v.Index+1:], func(w *chain.Version) bool { return !w.Preview }))
}
