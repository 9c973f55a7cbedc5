package report

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/plan"
)

// ReleasesFile is the name of the report on releases in the folder of a group.
const ReleasesFile = "releases.md"

// Release contains the changes of a release of CRDs from the previous one.
type Release struct {
	Old, New string // names of folders
	Changes  []diff.Comparison
}

// Releases reports, for every group, the changes of each release of its CRDs.
func Releases(p *plan.Plan, releases []Release) []File {
	var out []File
	for _, g := range p.Groups {
		var body []byte
		for _, r := range releases {
			changes := slices.DeleteFunc(diff.WithoutDocs(r.Changes), func(c diff.Comparison) bool { return len(c.Changes) == 0 || !has(g, c.Resource) })
			if len(changes) > 0 {
				body = append(append(body, '\n'), diff.Markdown("Changes in "+g.Chain.Name+" from "+r.Old+" to "+r.New, changes)...)
			}
		}
		if len(body) > 0 {
			out = append(out, File{"reports/" + g.Chain.Folder + "/" + ReleasesFile, append([]byte(header), body[1:]...)})
		}
	}
	return out
}

// has reports whether a group has a resource type.
func has(g *plan.Group, resource string) bool {
	return slices.ContainsFunc(g.Kinds, func(k *plan.Kind) bool { return strings.EqualFold(k.Resource.Model.Type, resource) })
}
