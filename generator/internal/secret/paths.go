package secret

import (
	"maps"
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
)

// Paths returns the paths, or the names, of the properties of resources that can be secrets.
func Paths(resources []*model.Resource, names bool) []string {
	all := map[string]bool{}
	for _, r := range resources {
		for _, v := range r.Versions {
			for _, p := range model.Locate(v.Spec, func(p *model.Property) bool { return isFit(p.Type) }) {
				if names {
					all[p.Property.Name] = true
				} else {
					all[p.Path] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
