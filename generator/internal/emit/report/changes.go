package report

import (
	"context"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Changes reports, for every group, the changes of each version of each resource from its
// neighbour. Address, if it is not nil, is that of [diff.Link].
func Changes(ctx context.Context, p *plan.Plan, address func(group, kind, from, to string) string) []File {
	var out []File
	for _, g := range p.Groups {
		var all []diff.Comparison
		for _, k := range g.Kinds {
			if ctx.Err() != nil {
				return nil
			}
			all = append(all, diff.Neighbours(ctx, k.Resource)...)
		}
		if address != nil {
			diff.Link(all, address)
		}
		if len(all) > 0 {
			body := append([]byte(header), diff.Markdown("Changes in "+g.Chain.Name, diff.WithoutDocs(all))...)
			out = append(out, File{"reports/" + g.Chain.Folder + "/changes.md", body})
		}
	}
	return out
}
