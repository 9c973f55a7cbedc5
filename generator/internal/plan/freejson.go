package plan

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/refine"
)

// FreeJSON is a property of a resource version that is free JSON since the branches of a union
// cannot be merged, and why they cannot.
type FreeJSON struct{ Type, Version, Path, Reason string }

// conflicts are numbered conflicts by resource type in lower case, and version.
type conflicts map[[2]string][]numbered

type numbered struct {
	number int
	FreeJSON
}

func freeJSONByVersion(all []refine.Conflict) conflicts {
	out := conflicts{}
	for i, c := range all {
		at := [2]string{strings.ToLower(c.Type), c.Version}
		out[at] = append(out[at], numbered{i, FreeJSON{c.Type, c.Version, c.Path, c.Reason}})
	}
	return out
}

// of lists the conflicts of a group in their order.
func (c conflicts) of(g *chain.Group) (out []FreeJSON) {
	var found []numbered
	for _, r := range g.Resources {
		for _, v := range r.Model.Versions {
			found = append(found, c[[2]string{strings.ToLower(r.Model.Type), v.Name}]...)
		}
	}
	slices.SortFunc(found, func(a, b numbered) int { return a.number - b.number })
	for _, f := range found {
		out = append(out, f.FreeJSON)
	}
	return out
}
