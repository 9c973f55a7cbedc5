package bicep

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// gather makes one result of the units, which are in the order of their paths.
func gather(units []*unit) *source.Result {
	r := &source.Result{}
	resources := map[string]*model.Resource{}
	for _, u := range units {
		for _, d := range u.declared {
			key := strings.ToLower(d.typ)
			if resources[key] == nil {
				resources[key] = &model.Resource{Type: d.typ}
				r.Resources = append(r.Resources, resources[key])
			}
			resources[key].Versions = append(resources[key].Versions, d.version)
		}
		r.Broken = append(r.Broken, u.broken...)
		r.Notes = append(r.Notes, u.noted()...)
		if u.doc != nil {
			r.Files = append(r.Files, u.doc.file)
		}
	}
	slices.SortFunc(r.Resources, func(a, b *model.Resource) int {
		return cmp.Compare(strings.ToLower(a.Type), strings.ToLower(b.Type))
	})
	return r
}
