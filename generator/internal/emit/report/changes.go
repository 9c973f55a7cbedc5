package report

import (
	"context"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Changes reports the changes of each version of each resource of a group from its neighbour. The
// file has no body if there are none, or if ctx has ended. Address, if it is not nil, is that of
// [diff.Link].
func Changes(ctx context.Context, g *plan.Group, address func(group, kind, from, to string) string) File {
	var all []diff.Comparison
	for _, k := range g.Kinds {
		if ctx.Err() != nil {
			return File{}
		}
		all = append(all, diff.Neighbours(ctx, k.Resource)...)
	}
	if address != nil {
		diff.Link(all, address)
	}
	if len(all) == 0 {
		return File{}
	}
	body := append([]byte(header), diff.Markdown("Changes in "+g.Chain.Name, diff.WithoutDocs(all))...)
	return File{"reports/" + g.Chain.Folder + "/changes.md", body}
}
